// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.fetch;

import io.slipstream.protocol.record.BatchHeader;
import java.nio.ByteBuffer;

/**
 * Selects the record batches of a Fetch answer from the bytes of a log segment: whole batches from the one that holds
 * the fetch offset on, below an offset limit (high watermark or last stable offset) and within a byte limit. Reads only
 * batch headers and allocates nothing. Not thread-safe; the bytes belong to the caller.
 */
public final class BatchWalk {
    /** Why the walk stopped. */
    public enum Stop {
        /** The bytes end with a batch. */
        END,
        /** The bytes end within a batch. */
        PARTIAL_BATCH,
        /** The next batch reaches to or above the offset limit. */
        OFFSET_LIMIT,
        /** The next batch would exceed the byte limit. */
        BYTE_LIMIT,
        /** The batch's length is impossible: the bytes are not from a log. */
        BAD_LENGTH,
        /** An old message format, or bytes that are not from a log. */
        BAD_MAGIC,
        /** Offsets do not increase, or counts are negative. */
        BAD_OFFSETS;

        /** Whether the bytes after the accepted ones are invalid; the broker must then answer over TCP. */
        public boolean isTorn() {
            return this == BAD_LENGTH || this == BAD_MAGIC || this == BAD_OFFSETS;
        }
    }

    public Stop stop = Stop.END;
    /** Index of the first accepted batch, after batches below the fetch offset. */
    public int startIndex;

    private int end;
    /** Number of records, according to the headers of the accepted batches. */
    public long recordCount;
    /** Next offset to fetch: after the last accepted batch, or the fetch offset if no batch was accepted. */
    public long nextOffset;
    /** Leader epoch of the last accepted batch; -1 if no batch was accepted. */
    public int lastLeaderEpoch;

    /**
     * Walks the batches in {@code [from, to)}, the first of which starts at {@code from}.
     *
     * @param log big-endian
     * @param fetchOffset batches that end below it are skipped
     * @param offsetLimit only batches whose last offset is below it are accepted
     * @param byteLimit largest number of bytes to accept
     * @param atLeastOne accept the first batch even if it exceeds {@code byteLimit}
     */
    public BatchWalk walk(
            ByteBuffer log, int from, int to, long fetchOffset, long offsetLimit, int byteLimit, boolean atLeastOne) {
        startIndex = from;
        end = from;
        recordCount = 0;
        nextOffset = fetchOffset;
        lastLeaderEpoch = -1;
        long lowestBase = Long.MIN_VALUE;
        int at = from;
        while (true) {
            stop = inspect(log, at, to, lowestBase);
            if (stop != null) {
                return this;
            }
            int size = (int) BatchHeader.sizeBytes(log, at);
            long lastOffset = BatchHeader.baseOffset(log, at) + BatchHeader.lastOffsetDelta(log, at);
            if (lastOffset >= offsetLimit) {
                stop = Stop.OFFSET_LIMIT;
                return this;
            }
            lowestBase = lastOffset + 1;
            if (lastOffset < fetchOffset) {
                at += size;
                startIndex = at;
                end = at;
                continue;
            }
            // As long, because a client may state a negative byte limit.
            if ((long) end - startIndex + size > byteLimit && (end > startIndex || !atLeastOne)) {
                stop = Stop.BYTE_LIMIT;
                return this;
            }
            at += size;
            end = at;
            recordCount += BatchHeader.recordsCount(log, at - size);
            nextOffset = lastOffset + 1;
            lastLeaderEpoch = BatchHeader.leaderEpoch(log, at - size);
        }
    }

    /** Null if a whole, valid batch starts at {@code at}. */
    private static Stop inspect(ByteBuffer log, int at, int to, long lowestBase) {
        int left = to - at;
        if (left < BatchHeader.OVERHEAD_BYTES) {
            return left == 0 ? Stop.END : Stop.PARTIAL_BATCH;
        }
        long size = BatchHeader.sizeBytes(log, at);
        if (size < BatchHeader.BYTES || size > Integer.MAX_VALUE) {
            return Stop.BAD_LENGTH;
        } else if (left < BatchHeader.BYTES) {
            return Stop.PARTIAL_BATCH;
        } else if (BatchHeader.magic(log, at) != BatchHeader.MAGIC) {
            return Stop.BAD_MAGIC;
        }
        long base = BatchHeader.baseOffset(log, at);
        int delta = BatchHeader.lastOffsetDelta(log, at);
        if (base < 0
                || base < lowestBase
                || delta < 0
                || base > Long.MAX_VALUE - 1 - delta
                || BatchHeader.recordsCount(log, at) < 0) {
            return Stop.BAD_OFFSETS;
        }
        return size > left ? Stop.PARTIAL_BATCH : null;
    }

    /** Bytes of the accepted batches, from {@link #startIndex} on. */
    public int acceptedBytes() {
        return end - startIndex;
    }
}
