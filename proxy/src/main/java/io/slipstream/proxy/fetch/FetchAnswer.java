// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import io.slipstream.link.LiveLink;
import io.slipstream.link.meter.FallbackReason;
import io.slipstream.protocol.fetch.FetchRequestView;
import io.slipstream.proxy.spi.PendingRequest;

/**
 * Creates the answer from the data of a {@link FetchAttempt}: trims it to whole batches, requests aborted transactions,
 * responds, and plans the read-ahead. Confined to the event loop.
 */
final class FetchAnswer {
    private final FetchAttempt attempt;
    private final FetchPath path;
    private final FetchRequestView view;
    private final ResponseAssembly assembly;
    final AbortedLists aborted;
    private final Runnable readAhead;
    private final BatchTrimmer trimmer;

    FetchAnswer(FetchAttempt attempt, ResponseAssembly assembly) {
        this.attempt = attempt;
        this.path = attempt.path;
        this.aborted = new AbortedLists(path.guarded(this::onListed));
        this.readAhead = path.guarded(this::readAhead);
        this.view = attempt.view;
        this.assembly = assembly;
        this.trimmer = new BatchTrimmer(attempt.cursors, attempt.data);
    }

    /** Answers with the data read, unless it is too little. */
    void cut() {
        BatchTrimmer.Outcome outcome = trimmer.cut(view, attempt.plan);
        if (outcome == BatchTrimmer.Outcome.UNREADABLE) {
            path.divide();
        } else if (outcome == BatchTrimmer.Outcome.STRADDLES && (trimmer.empty || attempt.mayRestart())) {
            // The batch at a region's end is now known not to fit, so the planner locates it again.
            trimmer.skip(view, attempt.plan);
            attempt.data.release();
            attempt.decide();
        } else if (outcome == BatchTrimmer.Outcome.TOO_LITTLE && attempt.mayRestart()) {
            // The number of bytes below the limit is now known.
            attempt.data.release();
            attempt.decide();
        } else if (view.isReadCommitted()) {
            listAborted();
        } else {
            trimmer.advance(view, attempt.plan);
            respond();
        }
    }

    /** Answers once the aborted transactions among the records are known. */
    private void listAborted() {
        attempt.phase = FetchPhase.LISTING;
        int asked = aborted.ask(
                attempt.link, attempt.sessionId, view, attempt.plan, attempt.cursors.entries, attempt.slots);
        if (asked == 0) {
            trimmer.advance(view, attempt.plan);
            respond();
        } else {
            attempt.wait.awaitPlugin();
        }
    }

    private void onListed() {
        if (aborted.refused) {
            attempt.fallBack(attempt.link.isUp() ? FallbackReason.ABORTED_TRANSACTIONS : FallbackReason.LINK_DOWN);
            return;
        }
        if (aborted.limit(view, attempt.cursors.entries, attempt.slots, attempt.plan)
                && !trimmer.cutAgain(view, attempt.plan)) {
            attempt.fallBack(FallbackReason.ABORTED_TRANSACTIONS);
            return;
        }
        trimmer.advance(view, attempt.plan);
        respond();
    }

    void respond() {
        path.backoff.onAnswered();
        LiveLink link = attempt.link;
        ReadPlan plan = attempt.plan;
        DataReader data = attempt.data;
        Cursor[] cursors = attempt.cursors.entries;
        attempt.meters.sharedReadBytes.add(data.bytesReadByOthers(plan));
        boolean shared = data.isShared();
        ByteBuf read = data.take();
        int named = path.fetchSession.answer(plan);
        ByteBuf response;
        try {
            response = assembly.respond(
                    view,
                    path.request.correlationId,
                    path.fetchSession.id(),
                    plan,
                    path.fetchSession.answered,
                    named,
                    cursors,
                    aborted,
                    read,
                    shared);
        } catch (Throwable e) {
            ReferenceCountUtil.release(read);
            throw e;
        }
        attempt.account.served(response.readableBytes() - PendingRequest.SIZE_BYTES);
        long records = 0;
        for (int i = 0; i < view.partitions.count; i++) {
            Cursor cursor = cursors[i];
            ReadPlan.Entry entry = plan.entries[i];
            cursor.refusals = null;
            link.reads.served(cursor.slot, cursor.generation, entry.recordBytes);
            if (entry.recordBytes > 0) {
                records += entry.recordCount;
                cursor.activity.fetched(entry.recordCount, entry.recordBytes, true, null);
            }
        }
        planAhead();
        attempt.wait.expected = plan.partitionsToRead == 0;
        path.respond(response, records);
    }

    private void planAhead() {
        if (attempt.plan.partitionsToRead == 1
                && attempt.account.mostBytes() == Integer.MAX_VALUE
                && attempt.ahead.planAfter(
                        attempt.plan,
                        attempt.cursors.entries[attempt.plan.firstNonEmpty],
                        ResponseAssembly.roomBytes(view))) {
            attempt.link.awaitRoom(readAhead);
        }
    }

    /** Runs after the answer was sent. */
    private void readAhead() {
        if (attempt.phase == FetchPhase.IDLE && !path.closed && attempt.link.isUp()) {
            attempt.ahead.startPlanned(attempt.link);
        }
    }
}
