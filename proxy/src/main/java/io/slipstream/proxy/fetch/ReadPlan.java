// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.link.meter.FallbackReason;
import java.util.Arrays;

/**
 * The decision of {@link FetchPlanner} for one Fetch; reused.
 */
public final class ReadPlan {
    public enum Kind {
        /** Read {@link Entry#lengthBytes} of each partition (perhaps 0 everywhere) and answer. */
        READ,
        /** Too little data: wait for a slot to change. */
        WAIT,
        /** Entries marked by {@link Entry#locate} must first be located again. */
        LOCATE,
        /** The size of the batch at the cursor of {@link #probeEntry} must first be read. */
        PROBE,
        /** A slot changed during its READ: read it again. */
        RETRY_SLOTS,
        /** Only the broker can answer for the entries with a {@link Entry#refusal}. */
        SPLIT
    }

    public Kind kind;
    int probeEntry;
    /** Whether an entry has a {@link Entry#refusal}. */
    boolean isRefused;
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
    /** Whether the limit over all partitions leaves too little for what one of them has. */
    boolean isLimited;
    /** The entry whose first batch ignores size limits; -1 if no entry has data. */
    int firstNonEmpty;

    /** By partition entry of the request. */
    public Entry[] entries = {};

    /** The plan for one partition, and the records read of it. */
    public static final class Entry {
        /** Whether the partition must be located again. */
        boolean locate;
        /** Why only the broker can answer for the partition; null if RDMA can, as far as known. */
        FallbackReason refusal;

        int availableBytes;
        int lengthBytes;
        /** Whether the region ends before the readable data: {@link #availableBytes} may end within a batch. */
        boolean windowed;
        /** Whether data is readable but its first batch exceeds the rest of the limits (which is not 0). */
        boolean firstBatchTooLarge;
        /** Only batches whose last offset is below are served. */
        long limitOffset;

        long highWatermark;
        long lastStableOffset;
        long logStartOffset;
        /** Index in the data of the range that was read. */
        int rangeIndex;
        /** Index in the data, and size, of the records to serve. */
        public int recordIndex;

        public int recordBytes;
        long recordCount;
        /** The offset after these records, and the leader epoch of their last batch. */
        long nextOffset;

        int lastEpoch;
        /** Position in the segment up to which it was read. */
        int readToPosition;

        /** Bytes of the range up to the end of the records. */
        int consumedBytes() {
            return recordIndex + recordBytes - rangeIndex;
        }
    }

    void reset(int count) {
        int made = entries.length;
        if (made < count) {
            entries = Arrays.copyOf(entries, Math.max(8, Integer.highestOneBit(count) * 2));
        }
        for (; made < entries.length; made++) {
            entries[made] = new Entry();
        }
        for (int i = 0; i < count; i++) {
            Entry entry = entries[i];
            entry.locate = false;
            entry.refusal = null;
            entry.windowed = false;
            entry.firstBatchTooLarge = false;
            entry.availableBytes = 0;
            entry.lengthBytes = 0;
            entry.recordBytes = 0;
        }
        isRefused = false;
        probeEntry = -1;
        partitionsToRead = 0;
        revoked = 0;
        totalBytes = 0;
        minBytes = 0;
        due = false;
        isLimited = false;
        firstNonEmpty = -1;
    }

    /** Plans to read that many bytes of the only entry, whatever its slot says. */
    void guess(int sizeBytes) {
        reset(1);
        entries[0].lengthBytes = sizeBytes;
        totalBytes = sizeBytes;
        firstNonEmpty = 0;
    }

    ReadPlan as(Kind decided) {
        kind = decided;
        return this;
    }

    /** Only the broker can answer for that entry, unless the reason is null. */
    void refuse(int entry, FallbackReason why) {
        entries[entry].refusal = why;
        isRefused |= why != null;
    }

    /** Only the broker can answer for the entries that must be located. */
    void refuseUnlocated(int count) {
        for (int i = 0; i < count; i++) {
            refuse(i, entries[i].locate ? FallbackReason.NOT_READABLE : null);
        }
    }
}
