// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.link.LiveLink;
import io.slipstream.link.meter.FallbackReason;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.fetch.FetchRequestView;

/**
 * Locates the offsets of a request that its cursors do not have, by Locate requests to the plugin. Confined to the
 * event loop.
 */
final class Locator {
    private final CursorTable cursors;
    private final FetchAttempt attempt;
    private int open;
    /** Why the whole request falls back; null if it need not. The plan has the entries that were refused. */
    FallbackReason refusal;
    /** Number of the current set of requests; answers to earlier ones are late. */
    private long asking;

    Locator(CursorTable cursors, FetchAttempt attempt) {
        this.cursors = cursors;
        this.attempt = attempt;
    }

    /** Requests the entries that the plan marks, at least one. */
    void ask(LiveLink link, int sessionId, FetchRequestView request, ReadPlan plan) {
        refusal = null;
        open = 0;
        long now = ++asking;
        int entries = request.partitions.count;
        for (int i = 0; i < entries; i++) {
            open += plan.entries[i].locate ? 1 : 0;
        }
        // Counted first: on a lost link the answers arrive at once.
        for (int i = 0; i < entries && now == asking; i++) {
            if (plan.entries[i].locate) {
                ask(link, sessionId, request, i, now);
            }
        }
    }

    private void ask(LiveLink link, int sessionId, FetchRequestView request, int entry, long now) {
        Cursor cursor = cursors.entries[entry];
        ControlRequest.Locate question = new ControlRequest.Locate(
                link.linkId(),
                sessionId,
                cursor.key.topicId(),
                cursor.key.topic(),
                cursor.key.partition,
                request.partitions.fetchOffset(entry),
                request.partitions.currentLeaderEpoch(entry),
                request.partitions.lastFetchedEpoch(entry));
        link.segments.locate(question, answer -> {
            // A late answer grants a region that nothing retains, which releases it.
            if (now == asking) {
                try {
                    onLocated(link, request, entry, cursor, answer);
                } catch (Throwable e) {
                    attempt.path.onThrown(e);
                }
            }
        });
        // Sent first, so that a region that the answer may name again is not released meanwhile.
        cursors.lose(link, cursor);
    }

    private void onLocated(
            LiveLink link, FetchRequestView request, int entry, Cursor cursor, ControlResponse.Locate answer) {
        FallbackReason why = refusalOf(link, answer);
        if (why == null) {
            cursor.locate(
                    answer,
                    link.segments.retain(answer.segment()),
                    request.partitions.fetchOffset(entry),
                    request.partitions.lastFetchedEpoch(entry));
            cursors.grants.increment();
        } else if (!why.isPassing()) {
            attempt.plan.refuse(entry, why);
        } else if (refusal == null || why == FallbackReason.SESSION_NOT_BOUND) {
            refusal = why;
        }
        if (--open == 0) {
            attempt.onLocated();
        }
    }

    private static FallbackReason refusalOf(LiveLink link, ControlResponse.Locate answer) {
        if (answer == null) {
            return link.isUp() ? FallbackReason.NOT_READABLE : FallbackReason.LINK_DOWN;
        }
        return switch (answer.error()) {
            case NONE -> answer.slot() < 0 || answer.slot() >= link.slots.slotCount ? FallbackReason.LIMIT : null;
            case LIMIT -> FallbackReason.LIMIT;
            case UNKNOWN_HANDLE, NOT_BOUND -> FallbackReason.SESSION_NOT_BOUND;
            default -> FallbackReason.NOT_READABLE;
        };
    }

    /** Ignores later answers. */
    void abandon() {
        asking++;
    }
}
