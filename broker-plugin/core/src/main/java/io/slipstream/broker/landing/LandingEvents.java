package io.slipstream.broker.landing;

import java.nio.ByteBuffer;

/**
 * Where the hooks of all Kafka lines report what concerns landings. Static because code woven into the broker can name nothing else; {@link Object}
 * because that code must not name Kafka's types. Costs a volatile read while nothing is landed.
 */
public final class LandingEvents {
    private static volatile SegmentLandings table;

    private LandingEvents() {}

    static void open(SegmentLandings landings) {
        table = landings;
    }

    static void close(SegmentLandings landings) {
        if (table == landings) {
            table = null;
        }
    }

    /** The broker appends records to a file, holding the log's lock: bytes that were committed where they lie, or 0 if it is to write them. */
    public static int append(Object file, Object records) {
        SegmentLandings now = table;
        return now == null || now.isIdle() ? 0 : now.append(file, records);
    }

    /**
     * The broker is about to append to a partition, without any lock yet; waits until nobody places batches there, unless these are they, or until it is their
     * turn.
     *
     * @return for {@link #afterAppend}
     */
    public static Object beforeAppend(Object partition, Object records) {
        SegmentLandings now = table;
        return now == null || now.isIdle() ? null : now.beforeAppend(partition, records);
    }

    /** The broker has appended to a partition, or failed to. */
    public static void afterAppend(Object turn) {
        SegmentLandings now = table;
        if (turn != null && now != null) {
            now.afterAppend((Turn) turn);
        }
    }

    /** A partition is about to lose its leadership or its log here. */
    public static void beforePartitionChange(Object partition) {
        SegmentLandings now = table;
        if (now != null && !now.isIdle()) {
            now.beforePartitionChange(partition);
        }
    }

    /** A log is about to be cut, moved, closed, deleted, or perhaps rolled by other than an append. */
    public static void beforeLogChange(Object log) {
        SegmentLandings now = table;
        if (now != null && !now.isIdle()) {
            now.beforeLogChange(log);
        }
    }

    /** A log's settings changed. */
    public static void reconfigured(Object log) {
        SegmentLandings now = table;
        if (now != null && !now.isIdle()) {
            now.reconfigured(log);
        }
    }

    /** Recovery cut bytes off a file, which must not be appended to any more, see {@link CutFiles}. */
    public static void recovered(Object file, int cutBytes) {
        if (cutBytes > 0) {
            CutFiles.add(file);
        }
    }

    /** A log was loaded or made, and nobody else has it yet. */
    public static void loaded(Object log) {
        CutFiles.loaded(log);
    }

    /** Whether the segment of that file is to be rolled now, of which the broker has its own opinion. The caller holds the log's lock. */
    public static boolean shouldRoll(Object file, boolean brokersOpinion) {
        boolean wasCut = CutFiles.holds(file);
        if (!brokersOpinion && !wasCut) {
            return false;
        }
        SegmentLandings now = table;
        boolean rolls = now == null || now.isIdle() || now.mayRoll(file);
        if (rolls && wasCut) {
            CutFiles.remove(file);
        }
        return rolls;
    }

    /** Whether the next append to that file will go to another one, so that nothing may be placed in it. */
    static boolean willRoll(Object file) {
        return CutFiles.holds(file);
    }

    /** Bytes of the batch that is this whole buffer, whose length field reads as zero. */
    public static int batchSize(ByteBuffer buffer, int sizeByItsLength) {
        int size = LandedLengths.ofBatch(buffer, 0);
        return size == 0 ? sizeByItsLength : size;
    }

    /** See {@link LandedLengths#ofBatch}: null instead of 0. */
    public static Integer nextBatchSize(ByteBuffer buffer) {
        if (buffer.remaining() <= LandedLengths.OVERHEAD_BYTES) {
            return null;
        }
        int size = LandedLengths.ofBatch(buffer, buffer.position());
        return size == 0 ? null : Integer.valueOf(size);
    }
}
