// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

import java.util.Arrays;

/**
 * Records of a poll or a log, as columns.
 *
 * <p>Each record has: its offset; the value it names ({@link ValueId}, {@link ValueId#NONE} if none); the partition it
 * names, as declaration number, {@link #FOREIGN} or {@link #CORRUPT}; a digest of its key, value, headers, timestamp
 * and timestamp type; and its leader epoch, -1 if none. Immutable to its readers.
 */
public final class RecordRun {
    /** The record names another cluster, or a topic unknown to this history. */
    public static final int FOREIGN = -1;

    /** The record's own checksum is wrong, or the record is not one of our values. */
    public static final int CORRUPT = -2;

    public static final RecordRun EMPTY = new Builder(0).build();

    private final int size;
    private final long[] offsets;
    private final long[] values;
    private final int[] described;
    private final int[] digests;
    private final int[] leaderEpochs;

    private RecordRun(int size, long[] offsets, long[] values, int[] described, int[] digests, int[] leaderEpochs) {
        this.size = size;
        this.offsets = offsets;
        this.values = values;
        this.described = described;
        this.digests = digests;
        this.leaderEpochs = leaderEpochs;
    }

    public int size() {
        return size;
    }

    public long offset(int i) {
        return offsets[i];
    }

    public long value(int i) {
        return values[i];
    }

    /** Returns the partition that record i names. */
    public int described(int i) {
        return described[i];
    }

    public int digest(int i) {
        return digests[i];
    }

    public int leaderEpoch(int i) {
        return leaderEpochs[i];
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RecordRun that
                && size == that.size
                && Arrays.equals(offsets, 0, size, that.offsets, 0, size)
                && Arrays.equals(values, 0, size, that.values, 0, size)
                && Arrays.equals(described, 0, size, that.described, 0, size)
                && Arrays.equals(digests, 0, size, that.digests, 0, size)
                && Arrays.equals(leaderEpochs, 0, size, that.leaderEpochs, 0, size);
    }

    @Override
    public int hashCode() {
        return size == 0 ? 0 : Long.hashCode(offsets[0]) * 31 + size;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder().append(size).append(" records");
        for (int i = 0; i < Math.min(size, 8); i++) {
            text.append(i == 0 ? ": " : ", ").append(offsets[i]).append('=').append(ValueId.text(values[i]));
        }
        return size > 8 ? text.append(" …").toString() : text.toString();
    }

    /** Collects records. Not usable after {@link #build()}. */
    public static final class Builder {
        private int size;
        private long[] offsets;
        private long[] values;
        private int[] described;
        private int[] digests;
        private int[] leaderEpochs;

        public Builder(int expectedSize) {
            offsets = new long[expectedSize];
            values = new long[expectedSize];
            described = new int[expectedSize];
            digests = new int[expectedSize];
            leaderEpochs = new int[expectedSize];
        }

        public Builder add(long offset, long value, int describedPartition, int digest, int leaderEpoch) {
            if (size == offsets.length) {
                grow(Math.max(16, 2 * size));
            }
            offsets[size] = offset;
            values[size] = value;
            described[size] = describedPartition;
            digests[size] = digest;
            leaderEpochs[size++] = leaderEpoch;
            return this;
        }

        private void grow(int capacity) {
            offsets = Arrays.copyOf(offsets, capacity);
            values = Arrays.copyOf(values, capacity);
            described = Arrays.copyOf(described, capacity);
            digests = Arrays.copyOf(digests, capacity);
            leaderEpochs = Arrays.copyOf(leaderEpochs, capacity);
        }

        public RecordRun build() {
            return new RecordRun(size, offsets, values, described, digests, leaderEpochs);
        }
    }
}
