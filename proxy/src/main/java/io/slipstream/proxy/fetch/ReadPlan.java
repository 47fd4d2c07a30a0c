// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.proxy.spi.FallbackReason;
import java.util.Arrays;

/**
 * The decision of {@link FetchPlanner} for one Fetch; reused. Arrays are indexed by the request's partition entries.
 */
public final class ReadPlan {
    public enum Kind {
        /** Read {@link #lengthBytes} of each partition (perhaps 0 everywhere) and answer. */
        READ,
        /** Too little data: wait for a slot to change. */
        WAIT,
        /** Entries marked in {@link #locate} must first be located again. */
        LOCATE,
        /** The size of the batch at the cursor of {@link #probeEntry} must first be read. */
        PROBE,
        /** A slot changed during its READ: read it again. */
        RETRY_SLOTS,
        /** The broker must answer, for {@link #reason}. */
        FALL_BACK
    }

    public Kind kind;
    FallbackReason reason;
    int probeEntry;
    /** Number of entries to be located again because the plugin revoked their grants. */
    int revoked;
    /** Number of partitions with data to read. */
    public int partitionsToRead;

    long totalBytes;
    /** Readable bytes that an answer needs before the longest wait is over. */
    int minBytes;
    /**
     * Whether the answer is due at any size: no wait is requested or left, or the read is in an older segment or
     * reaches a region's end.
     */
    boolean due;
    /** The entry whose first batch ignores size limits; -1 if no entry has data. */
    int firstNonEmpty;

    boolean[] locate = new boolean[8];
    int[] availableBytes = new int[8];
    int[] lengthBytes = new int[8];
    /** Whether the segment's region ends before the readable data: {@link #availableBytes} may end within a batch. */
    boolean[] windowed = new boolean[8];

    /** Whether data is readable but its first batch exceeds the rest of the limits (which is not 0). */
    boolean[] firstBatchTooLarge = new boolean[8];

    /** Only batches whose last offset is below are served. */
    long[] limitOffset = new long[8];

    long[] highWatermark = new long[8];
    long[] lastStableOffset = new long[8];
    long[] logStartOffset = new long[8];

    void reset(int entries) {
        if (entries > locate.length) {
            int size = Integer.highestOneBit(entries) * 2;
            locate = new boolean[size];
            availableBytes = new int[size];
            windowed = new boolean[size];
            firstBatchTooLarge = new boolean[size];
            lengthBytes = new int[size];
            limitOffset = new long[size];
            highWatermark = new long[size];
            lastStableOffset = new long[size];
            logStartOffset = new long[size];
        }
        Arrays.fill(locate, 0, entries, false);
        Arrays.fill(windowed, 0, entries, false);
        Arrays.fill(firstBatchTooLarge, 0, entries, false);
        reason = null;
        probeEntry = -1;
        partitionsToRead = 0;
        revoked = 0;
        totalBytes = 0;
        minBytes = 0;
        due = false;
        firstNonEmpty = -1;
    }

    ReadPlan as(Kind decided) {
        kind = decided;
        return this;
    }

    ReadPlan fallBack(FallbackReason why) {
        kind = Kind.FALL_BACK;
        reason = why;
        return this;
    }
}
