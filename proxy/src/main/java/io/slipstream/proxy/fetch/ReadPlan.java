// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.proxy.spi.FallbackReason;
import java.util.Arrays;

/**
 * What {@link FetchPlanner} decided for one Fetch; reused from one to the next. Arrays are by the request's partition
 * entries.
 */
public final class ReadPlan {
    public enum Kind {
        /** Read {@link #lengthBytes} of each partition (perhaps 0 everywhere) and answer. */
        READ,
        /** Too little there: wait for a slot to change. */
        WAIT,
        /** Entries marked in {@link #locate} must be located anew first. */
        LOCATE,
        /** The size of the batch at the cursor of {@link #probeEntry} must be known first. */
        PROBE,
        /** A slot was changed while it was read: read again. */
        RETRY_SLOTS,
        /** The broker must answer, for {@link #reason}. */
        FALL_BACK
    }

    public Kind kind;
    FallbackReason reason;
    int probeEntry;
    /** Entries to be located anew because the plugin took back what they were granted. */
    int revoked;
    /** Partitions with something to read. */
    public int partitionsToRead;

    long totalBytes;
    /** Least bytes that must be readable for an answer before the maximal wait is over. */
    int minBytes;
    /**
     * Whether the answer is due whatever its size: no wait asked for or left, or an older segment or up to a region's
     * end is read.
     */
    boolean due;
    /** The entry whose size limits are ignored for its first batch, -1 if none has anything to read. */
    int firstNonEmpty;

    boolean[] locate = new boolean[8];
    int[] availableBytes = new int[8];
    int[] lengthBytes = new int[8];
    /** Whether the segment's region ends before what is readable: {@link #availableBytes} may end within a batch. */
    boolean[] windowed = new boolean[8];

    /** Whether something is readable, but not even its first batch fits what limits leave (which is not 0). */
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
