// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.protocol.control.AbortedTransaction;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse.ListAborted;
import java.util.List;

/**
 * Answers to ListAborted. Runs on the worker thread. It holds the log's lock only to note the last stable offset, and
 * reads the indexes after that.
 *
 * <p>All transactions that began below a last stable offset are decided, and indexed if they were aborted. The indexes
 * that are read after this offset was noted therefore list all aborted transactions below it. This also holds later in
 * the slot's generation.
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
            throw new RefusedException(ControlError.NOT_READABLE, "the log's files are being changed");
        }
        AbortedInSegment found = log.abortedTransactions(request.segmentBaseOffset(), request.fetchOffset());
        // The log cleaner's swap drops transactions from the indexes together with their records. A swap that began
        // since the check above has revoked the slot before it changed anything, and so has a truncation.
        if (slot.revoked) {
            throw new RefusedException(ControlError.UNKNOWN_HANDLE, "the slot was revoked");
        } else if (found == null) {
            throw new RefusedException(
                    ControlError.NOT_READABLE, "the log has no segment at " + request.segmentBaseOffset());
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

    /** Returns the first offset of the first transaction, by first offset, for which the answer has no room. */
    private static long firstLeftOut(List<AbortedTransaction> transactions) {
        return transactions.stream()
                .mapToLong(AbortedTransaction::firstOffset)
                .sorted()
                .skip(ListAborted.MOST_TRANSACTIONS)
                .findFirst()
                .orElseThrow();
    }
}
