// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.record;

import java.nio.ByteBuffer;

/**
 * Header of Kafka's record batch, format version 2 (magic 2), big-endian:
 *
 * <pre>
 *   0 baseOffset i64 │ 8 batchLength i32 (bytes from 12 on) │ 12 partitionLeaderEpoch i32 │ 16 magic i8 │ 17 crc u32
 *  21 attributes i16 │ 23 lastOffsetDelta i32 │ 27 baseTimestamp i64 │ 35 maxTimestamp i64 │ 43 producerId i64
 *  51 producerEpoch i16 │ 53 baseSequence i32 │ 57 recordsCount i32 │ 61 records
 * </pre>
 *
 * Callers must check that the buffer contains the bytes.
 */
public final class BatchHeader {
    /** Bytes that batchLength does not count: baseOffset and batchLength. */
    public static final int OVERHEAD_BYTES = 12;
    /** Bytes of the whole header, up to the first record. */
    public static final int BYTES = 61;

    public static final byte MAGIC = 2;

    private static final int LENGTH = 8;
    private static final int LEADER_EPOCH = 12;
    private static final int MAGIC_OFFSET = 16;
    private static final int LAST_OFFSET_DELTA = 23;
    private static final int RECORDS_COUNT = 57;

    private BatchHeader() {}

    public static long baseOffset(ByteBuffer log, int batch) {
        return log.getLong(batch);
    }

    /** Bytes of the batch including the overhead, according to its header; any value if the header is corrupt. */
    public static long sizeBytes(ByteBuffer log, int batch) {
        return OVERHEAD_BYTES + (long) log.getInt(batch + LENGTH);
    }

    public static int leaderEpoch(ByteBuffer log, int batch) {
        return log.getInt(batch + LEADER_EPOCH);
    }

    public static byte magic(ByteBuffer log, int batch) {
        return log.get(batch + MAGIC_OFFSET);
    }

    public static int lastOffsetDelta(ByteBuffer log, int batch) {
        return log.getInt(batch + LAST_OFFSET_DELTA);
    }

    public static int recordsCount(ByteBuffer log, int batch) {
        return log.getInt(batch + RECORDS_COUNT);
    }

    /** Bytes of the version 2 batch with which those bytes begin; 0 if there is none, or not all of it. */
    public static int wholeBytes(ByteBuffer bytes, int at, int length) {
        long size = length < BYTES ? 0 : sizeBytes(bytes, at);
        return size < BYTES || size > length || magic(bytes, at) != MAGIC ? 0 : (int) size;
    }

    /** Bytes of the whole version 2 batches of {@code [from, to)}, up to the first other bytes. */
    public static int wholeBatchBytes(ByteBuffer bytes, int from, int to) {
        int at = from;
        for (int size = wholeBytes(bytes, at, to - at); size > 0; size = wholeBytes(bytes, at, to - at)) {
            at += size;
        }
        return at - from;
    }
}
