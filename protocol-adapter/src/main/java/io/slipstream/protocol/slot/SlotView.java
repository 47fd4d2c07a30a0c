// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.slot;

import static io.slipstream.protocol.slot.SlotWords.getInt;
import static io.slipstream.protocol.slot.SlotWords.getLong;

import java.nio.ByteBuffer;

/**
 * View of a copied slot (see {@link SlotLayout}). {@link #wrap} sets it to 64 bytes that no longer change, for example
 * the target buffer of a READ. Fields are valid only if {@link #isConsistent()}. Works on direct and heap buffers of
 * either byte order. Not thread-safe; keeps a reference to the buffer until the next wrap.
 */
public final class SlotView {
    private ByteBuffer buffer;
    private int offset;

    /** Sets the view to the slot whose first byte is at {@code offset} of the buffer. */
    public SlotView wrap(ByteBuffer copy, int offset) {
        if (offset < 0 || offset > copy.limit() - SlotLayout.SLOT_BYTES) {
            throw new IndexOutOfBoundsException("slot at " + offset + " in " + copy);
        }
        this.buffer = copy;
        this.offset = offset;
        return this;
    }

    /**
     * Whether the copy is exactly one publication of the writer. False for a mix of two, and for a slot never
     * published.
     */
    public boolean isConsistent() {
        int sequence = getInt(buffer, offset + SlotLayout.SEQUENCE_BEGIN_OFFSET);
        return (sequence & 1) == 0
                && sequence == getInt(buffer, offset + SlotLayout.SEQUENCE_END_OFFSET)
                && SlotWords.checksum(buffer, offset) == getInt(buffer, offset + SlotLayout.CHECKSUM_OFFSET);
    }

    /** Changes with each publication. */
    public int sequence() {
        return getInt(buffer, offset + SlotLayout.SEQUENCE_BEGIN_OFFSET);
    }

    public int flags() {
        return getInt(buffer, offset + SlotLayout.FLAGS_OFFSET);
    }

    public boolean isRevoked() {
        return (flags() & SlotLayout.FLAG_REVOKED) != 0;
    }

    public boolean mayHoldAbortedTransactions() {
        return (flags() & SlotLayout.FLAG_ABORTED_TRANSACTIONS) != 0;
    }

    /**
     * Increases (and wraps) when aborted transactions are indexed, before the last stable offset passes them. One step
     * may cover several transactions.
     */
    public int abortedCount() {
        return getInt(buffer, offset + SlotLayout.ABORTED_COUNT_OFFSET);
    }

    public int generation() {
        return getInt(buffer, offset + SlotLayout.GENERATION_OFFSET);
    }

    public int leaderEpoch() {
        return getInt(buffer, offset + SlotLayout.LEADER_EPOCH_OFFSET);
    }

    public long segmentBaseOffset() {
        return getLong(buffer, offset + SlotLayout.SEGMENT_BASE_OFFSET);
    }

    public long highWatermark() {
        return getLong(buffer, offset + SlotLayout.HIGH_WATERMARK_OFFSET);
    }

    public int highWatermarkPosition() {
        return getInt(buffer, offset + SlotLayout.HIGH_WATERMARK_POSITION_OFFSET);
    }

    public long lastStableOffset() {
        return getLong(buffer, offset + SlotLayout.LAST_STABLE_OFFSET_OFFSET);
    }

    public long logStartOffset() {
        return getLong(buffer, offset + SlotLayout.LOG_START_OFFSET_OFFSET);
    }
}
