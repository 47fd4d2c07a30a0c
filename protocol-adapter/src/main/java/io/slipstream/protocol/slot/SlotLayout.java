// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.slot;

/**
 * Layout of the slot table: a 64-byte header, then 64-byte slots. Little-endian; written by the broker, read by the
 * proxy.
 *
 * <pre>
 * header  0 magic i32 │ 4 version i32 │ 8 bootId i64 │ 16 heartbeat i64 │ 24 slotCount i32 │ rest 0
 * slot    0 sequenceBegin i32 │ 4 flags i32
 *         8 generation i32    │ 12 leaderEpoch i32
 *        16 segmentBaseOffset i64   segment that contains the high watermark
 *        24 highWatermark i64
 *        32 highWatermarkPosition i32   byte position of the high watermark in that segment
 *        36 abortedCount i32   increases when an aborted transaction is indexed
 *        40 lastStableOffset i64
 *        48 logStartOffset i64
 *        56 checksum i32      │ 60 sequenceEnd i32
 * </pre>
 *
 * <p>Seqlock: the broker makes both sequences odd, then writes the fields and the checksum, then sets both to the next
 * even number, in that order for every observer. Both sequences must be odd during the change. Otherwise a copy could
 * take both sequences before or after the change but the fields during it, and still look consistent.
 *
 * <p>A copy is valid if sequenceBegin is even and equals sequenceEnd, and the checksum matches. The checksum covers
 * bytes 0-55 as seven little-endian words w: h = magic; h = (h ^ w) * 0x9E3779B97F4A7C15, h ^= h >>> 32, for each; its
 * low 32 bits.
 *
 * <p>The heartbeat increases at least four times per lease. If it does not change for a lease, or if bootId differs
 * from Hello's, the table belongs to a dead or stopped broker and is invalid.
 */
public final class SlotLayout {
    public static final int MAGIC = 0x54304c53; // "SL0T"
    public static final int VERSION = 2;
    public static final int HEADER_BYTES = 64;
    public static final int SLOT_BYTES = 64;

    public static final int HEADER_MAGIC_OFFSET = 0;
    public static final int HEADER_VERSION_OFFSET = 4;
    public static final int HEADER_BOOT_ID_OFFSET = 8;
    public static final int HEADER_HEARTBEAT_OFFSET = 16;
    public static final int HEADER_SLOT_COUNT_OFFSET = 24;

    public static final int SEQUENCE_BEGIN_OFFSET = 0;
    public static final int FLAGS_OFFSET = 4;
    public static final int GENERATION_OFFSET = 8;
    public static final int LEADER_EPOCH_OFFSET = 12;
    public static final int SEGMENT_BASE_OFFSET = 16;
    public static final int HIGH_WATERMARK_OFFSET = 24;
    public static final int HIGH_WATERMARK_POSITION_OFFSET = 32;
    public static final int ABORTED_COUNT_OFFSET = 36;
    public static final int LAST_STABLE_OFFSET_OFFSET = 40;
    public static final int LOG_START_OFFSET_OFFSET = 48;
    public static final int CHECKSUM_OFFSET = 56;
    public static final int SEQUENCE_END_OFFSET = 60;

    /**
     * The broker no longer serves the partition here, or truncated its log: locate again or use TCP. Never cleared
     * within a generation.
     */
    public static final int FLAG_REVOKED = 1;
    /**
     * The log may contain aborted transactions: read_committed readers must request them (ListAborted). Never cleared
     * within a generation.
     */
    public static final int FLAG_ABORTED_TRANSACTIONS = 1 << 1;

    private SlotLayout() {}

    public static int tableBytes(int slotCount) {
        return HEADER_BYTES + slotCount * SLOT_BYTES;
    }

    public static int slotOffset(int slot) {
        return HEADER_BYTES + slot * SLOT_BYTES;
    }
}
