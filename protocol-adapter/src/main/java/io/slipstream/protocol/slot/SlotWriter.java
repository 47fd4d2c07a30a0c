// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.slot;

import static io.slipstream.protocol.slot.SlotWords.INT;
import static io.slipstream.protocol.slot.SlotWords.LONG;
import static io.slipstream.protocol.slot.SlotWords.mix;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * Publishes slots of a table that peers read with one-sided READs. No allocation, no lock.
 *
 * <p>Only one thread at a time may write a given slot; the caller ensures that, for example with the partition's lock.
 * Different threads may write different slots.
 *
 * <h2>Memory order</h2>
 *
 * The reader is a device (a NIC, or the peer's CPU), not a Java thread: it executes no fences and may copy in either
 * direction. Hence both sequence words become odd <em>before</em> the fields change and even <em>after</em>.
 * Store-store fences separate the three steps. Opaque stores are atomic and keep program order for each word, and need
 * no fence of their own. An ascending copy that sees the same even number first in sequenceBegin and last in
 * sequenceEnd has therefore copied between two publications; so has a descending copy. The checksum, which covers the
 * sequence too, detects torn copies of readers whose loads have no order (weakly ordered CPUs, relaxed-ordering PCIe).
 */
public final class SlotWriter {
    private final ByteBuffer table;
    private final int slotCount;

    /**
     * @param table direct, 64-byte aligned, at least {@link SlotLayout#tableBytes} long; its index 0 is the table's
     *     header
     */
    public SlotWriter(ByteBuffer table, int slotCount) {
        SlotTableHeader.requireTable(table, slotCount);
        this.table = table;
        this.slotCount = slotCount;
    }

    /** Publishes these values as the slot's next state. Readers see the state as a whole or not at all. */
    public void publish(
            int slot,
            int flags,
            int generation,
            int leaderEpoch,
            long segmentBaseOffset,
            long highWatermark,
            int highWatermarkPosition,
            int abortedCount,
            long lastStableOffset,
            long logStartOffset) {
        if (slot < 0 || slot >= slotCount) {
            throw new IndexOutOfBoundsException("slot " + slot + " of " + slotCount);
        }
        int at = SlotLayout.slotOffset(slot);
        int next = ((int) INT.get(table, at + SlotLayout.SEQUENCE_BEGIN_OFFSET) | 1) + 1;
        long word0 = word(next, flags);
        long word8 = word(generation, leaderEpoch);
        long word32 = word(highWatermarkPosition, abortedCount);
        long hash = mix(mix(SlotLayout.MAGIC, word0), word8);
        hash = mix(mix(mix(hash, segmentBaseOffset), highWatermark), word32);
        hash = mix(mix(hash, lastStableOffset), logStartOffset);

        INT.setOpaque(table, at + SlotLayout.SEQUENCE_BEGIN_OFFSET, next - 1);
        INT.setOpaque(table, at + SlotLayout.SEQUENCE_END_OFFSET, next - 1);
        VarHandle.storeStoreFence();
        INT.setOpaque(table, at + SlotLayout.FLAGS_OFFSET, flags);
        LONG.setOpaque(table, at + SlotLayout.GENERATION_OFFSET, word8);
        LONG.setOpaque(table, at + SlotLayout.SEGMENT_BASE_OFFSET, segmentBaseOffset);
        LONG.setOpaque(table, at + SlotLayout.HIGH_WATERMARK_OFFSET, highWatermark);
        LONG.setOpaque(table, at + SlotLayout.HIGH_WATERMARK_POSITION_OFFSET, word32);
        LONG.setOpaque(table, at + SlotLayout.LAST_STABLE_OFFSET_OFFSET, lastStableOffset);
        LONG.setOpaque(table, at + SlotLayout.LOG_START_OFFSET_OFFSET, logStartOffset);
        INT.setOpaque(table, at + SlotLayout.CHECKSUM_OFFSET, (int) hash);
        VarHandle.storeStoreFence();
        INT.setOpaque(table, at + SlotLayout.SEQUENCE_END_OFFSET, next);
        INT.setOpaque(table, at + SlotLayout.SEQUENCE_BEGIN_OFFSET, next);
    }

    /** Sets {@link SlotLayout#FLAG_REVOKED}; all other fields stay unchanged. */
    public void revoke(int slot) {
        SlotView now = new SlotView().wrap(table, SlotLayout.slotOffset(slot));
        publish(
                slot,
                now.flags() | SlotLayout.FLAG_REVOKED,
                now.generation(),
                now.leaderEpoch(),
                now.segmentBaseOffset(),
                now.highWatermark(),
                now.highWatermarkPosition(),
                now.abortedCount(),
                now.lastStableOffset(),
                now.logStartOffset());
    }

    private static long word(int low, int high) {
        return (low & 0xffffffffL) | ((long) high << 32);
    }
}
