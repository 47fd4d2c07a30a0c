// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.protocol.control.AbortedTransaction;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.slot.SlotView;
import java.util.List;

/**
 * What a cursor knows of the aborted transactions in its segment: the plugin's last answer. What an answer is complete
 * for it stays complete for, since everything below a last stable offset is decided; only another slot, generation or
 * segment makes it worthless.
 */
final class KnownAborted {
    private List<AbortedTransaction> listed = List.of();
    /** Nothing is known below. */
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
     * Up to which offset all is known that a reader from {@code fetchOffset} on must be told, as far as the slot's last
     * stable offset; {@code fetchOffset} if nothing is.
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
     * Whether the list of a read from {@code fetchOffset} on that ends at that offset and that position of the segment
     * is known to be the broker's.
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
     * Whether a broker's answer lists it that reads from {@code fetchOffset} up to position {@code endBytes} of the
     * segment.
     */
    boolean isListed(int index, long fetchOffset, int endBytes) {
        AbortedTransaction aborted = listed.get(index);
        return aborted.lastOffset() >= fetchOffset && aborted.listedFromBytes() < endBytes;
    }
}
