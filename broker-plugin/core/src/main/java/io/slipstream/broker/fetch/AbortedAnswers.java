// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.protocol.control.AbortedTransaction;
import io.slipstream.protocol.control.ControlApi;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse.ListAborted;
import java.util.List;

/**
 * Answers to ListAborted. On the worker thread; the log's lock is held only to note how far the log was decided before
 * its indexes are read.
 *
 * <p>Whatever began below a last stable offset is decided, and indexed if it was aborted. So what is read from the
 * indexes after that offset was noted misses nothing below it, now or later in the slot's generation.
 */
final class AbortedAnswers {
    private AbortedAnswers() {}

    static ListAborted answer(SlotDirectory directory, GrantedSlot slot, ControlRequest.ListAborted request) {
        LogFeed feed = slot.feed;
        ReadableLog log = feed.readable;
        long stable;
        int count;
        synchronized (log.monitor()) {
            stable = feed.publishedLastStableOffset();
            count = feed.abortedCount();
        }
        if (directory.isChanging(log.identity())) {
            return refusal(ControlError.NOT_READABLE, "the log's files are being changed");
        }
        AbortedInSegment found = log.abortedTransactions(request.segmentBaseOffset(), request.fetchOffset());
        // A cleaner's swap drops transactions from the indexes together with their records. One that began since the
        // look above has revoked the slot
        // before it changed anything; so does all that cuts the log.
        if (slot.isRevoked()) {
            return refusal(ControlError.UNKNOWN_HANDLE, "the slot was revoked");
        } else if (found == null) {
            return refusal(ControlError.NOT_READABLE, "the log has no segment at " + request.segmentBaseOffset());
        }
        long completeTo = completeTo(found, stable);
        List<AbortedTransaction> listed = found.transactions();
        boolean whole = found.reachesEnd();
        if (listed.size() > ListAborted.MOST_TRANSACTIONS) {
            long firstLeftOut = firstLeftOut(listed);
            listed = listed.stream()
                    .filter(each -> each.firstOffset() < firstLeftOut)
                    .toList();
            completeTo = Math.min(completeTo, firstLeftOut);
            whole = false;
        }
        int completeToBytes = completeTo == Long.MAX_VALUE
                ? Integer.MAX_VALUE
                : log.indexedBytes(request.segmentBaseOffset(), completeTo);
        return new ListAborted(ControlError.NONE, null, completeTo, completeToBytes, whole, count, listed);
    }

    private static long completeTo(AbortedInSegment found, long stable) {
        if (found.endOffset() > stable) {
            return stable;
        }
        return found.reachesEnd() ? Long.MAX_VALUE : found.endOffset();
    }

    /** Offset of the first transaction, in the order in which they began, for which there is no room. */
    private static long firstLeftOut(List<AbortedTransaction> transactions) {
        return transactions.stream()
                .mapToLong(AbortedTransaction::firstOffset)
                .sorted()
                .skip(ListAborted.MOST_TRANSACTIONS)
                .findFirst()
                .orElseThrow();
    }

    static ListAborted refusal(ControlError error, String message) {
        return (ListAborted) ControlApi.LIST_ABORTED.refusal(error, message);
    }
}
