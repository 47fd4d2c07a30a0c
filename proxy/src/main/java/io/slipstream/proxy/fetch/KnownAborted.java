// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.protocol.control.AbortedTransaction;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.slot.SlotView;
import java.util.List;

/**
 * The plugin's last list of aborted transactions for a cursor's segment. The offsets for which a list is complete stay
 * complete, because everything below a last stable offset is decided. Only another slot, generation or segment
 * invalidates it.
 */
final class KnownAborted {
    private List<AbortedTransaction> listed = List.of();
    /** Nothing is known below this offset. */
    private long fromOffset = Long.MAX_VALUE;

    private long completeTo;
    private int completeToBytes;
    private boolean whole;
    private int abortedCount;

    void forget() {
        listed = List.of();
        fromOffset = Long.MAX_VALUE;
    }

    void know(ControlResponse.ListAborted answer, long askedFrom) {
        listed = answer.transactions();
        fromOffset = askedFrom;
        completeTo = answer.completeTo();
        completeToBytes = answer.completeToBytes();
        whole = answer.whole();
        abortedCount = answer.abortedCount();
    }

    /**
     * Offset up to which the list is complete for a reader from {@code fetchOffset} on, at most the slot's last stable
     * offset; {@code fetchOffset} if nothing is known.
     */
    long completeTo(long fetchOffset, SlotView slot) {
        if (!slot.mayHoldAbortedTransactions()) {
            return Long.MAX_VALUE;
        } else if (fetchOffset < fromOffset) {
            return fetchOffset;
        }
        return whole && slot.abortedCount() == abortedCount ? Long.MAX_VALUE : Math.max(fetchOffset, completeTo);
    }

    /**
     * Whether the list of a read from {@code fetchOffset} up to that offset and that segment position equals the
     * broker's.
     */
    boolean covers(long fetchOffset, long endOffset, int endBytes, SlotView slot) {
        long reach = completeTo(fetchOffset, slot);
        return reach == Long.MAX_VALUE || (reach >= endOffset && endBytes <= completeToBytes);
    }

    int size() {
        return listed.size();
    }

    AbortedTransaction get(int index) {
        return listed.get(index);
    }

    /**
     * Whether a broker's answer to a read from {@code fetchOffset} up to position {@code endBytes} lists the
     * transaction.
     */
    boolean isListed(int index, long fetchOffset, int endBytes) {
        AbortedTransaction aborted = listed.get(index);
        return aborted.lastOffset() >= fetchOffset && aborted.listedFromBytes() < endBytes;
    }
}
