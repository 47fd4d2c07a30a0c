package io.slipstream.broker.fetch;

import io.slipstream.protocol.control.AbortedTransaction;
import io.slipstream.protocol.control.ControlApi;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse.ListAborted;
import java.util.List;

/**
 * Answers to ListAborted. On the worker thread; the log's lock is held only to note how far the log was decided before its indexes are read.
 *
 * <p>Whatever began below a last stable offset is decided, and indexed if it was aborted. So what is read from the indexes after that offset was noted
 * misses nothing below it, now or later in the slot's generation.
 */
final class AbortedAnswers {
    private AbortedAnswers() {}

    static ListAborted answer(GrantedSlot slot, ControlRequest.ListAborted request) {
        LogFeed feed = slot.feed;
        ReadableLog log = feed.readable();
        long stable;
        int count;
        synchronized (log.monitor()) {
            stable = feed.publishedLastStableOffset();
            count = feed.abortedCount();
        }
        AbortedInSegment found = log.abortedTransactions(request.segmentBaseOffset(), request.fetchOffset());
        // A cleaner's swap, which drops transactions without records, revokes before its first byte; so does all that
        // cuts the log.
        if (slot.isRevoked()) {
            return refusal(ControlError.UNKNOWN_HANDLE, "the slot was revoked");
        } else if (found == null) {
            return refusal(ControlError.NOT_READABLE, "the log has no segment at " + request.segmentBaseOffset());
        }
        return bounded(found, stable, count);
    }

    private static ListAborted bounded(AbortedInSegment found, long stable, int count) {
        List<AbortedTransaction> all = found.transactions();
        if (all.size() <= ListAborted.MOST_TRANSACTIONS) {
            boolean allDecided = found.endOffset() <= stable;
            long completeTo = !allDecided ? stable : found.reachesEnd() ? Long.MAX_VALUE : found.endOffset();
            return new ListAborted(ControlError.NONE, null, completeTo, found.reachesEnd(), count, all);
        }
        long firstLeftOut = all.stream()
                .mapToLong(AbortedTransaction::firstOffset)
                .sorted()
                .skip(ListAborted.MOST_TRANSACTIONS)
                .findFirst()
                .orElseThrow();
        List<AbortedTransaction> listed =
                all.stream().filter(each -> each.firstOffset() < firstLeftOut).toList();
        return new ListAborted(
                ControlError.NONE,
                null,
                Math.min(firstLeftOut, Math.min(stable, found.endOffset())),
                false,
                count,
                listed);
    }

    static ListAborted refusal(ControlError error, String message) {
        return (ListAborted) ControlApi.LIST_ABORTED.refusal(error, message);
    }
}
