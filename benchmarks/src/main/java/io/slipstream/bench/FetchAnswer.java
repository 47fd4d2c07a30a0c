// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Parses a Fetch answer of one topic as far as a consumer needs: errors, and the end of whole batches in each
 * partition. For versions from 13, without sessions, so that every requested partition is answered. Reusable; allocates
 * nothing.
 */
final class FetchAnswer {
    private static final int TOPIC_ID_BYTES = 16;
    /** High watermark, last stable offset, log start offset. */
    private static final int OFFSETS_BYTES = 3 * Long.BYTES;

    private static final int BATCH_LENGTH = 8;
    private static final int BATCH_LAST_OFFSET_DELTA = 23;
    private static final int BATCH_HEADER_BYTES = 61;
    private static final int BATCH_LENGTH_END = 12;

    private static final long NOT_ANSWERED = -1;

    private final int[] partitions;
    private final long[] nextOffsets;
    private final int[] recordBytes;
    private ByteBuffer frame;
    private int at;

    /** @param partitions numbers of the requested partitions */
    FetchAnswer(int... partitions) {
        this.partitions = partitions;
        nextOffsets = new long[partitions.length];
        recordBytes = new int[partitions.length];
    }

    /**
     * Parses an answer.
     *
     * @param answer from its correlation id to its end; its position is unchanged
     * @param askedOffsets offsets of the request, in partition order
     * @throws IllegalStateException if it contains an error, lacks a partition, or has a gap before or between batches
     */
    void read(ByteBuffer answer, long[] askedOffsets) {
        frame = answer;
        at = answer.position() + Integer.BYTES;
        refuse(readVarint() != 0, "tagged fields in the header");
        at += Integer.BYTES;
        requireNoError();
        at += Integer.BYTES;
        refuse(readVarint() != 2, "not one topic");
        at += TOPIC_ID_BYTES;
        refuse(readVarint() - 1 != partitions.length, "other partitions than were asked for");
        Arrays.fill(nextOffsets, NOT_ANSWERED);
        for (int i = 0; i < partitions.length; i++) {
            readPartition(askedOffsets);
        }
        skipTags();
        skipTags();
        refuse(at != answer.limit(), "more than it says");
    }

    private void readPartition(long[] askedOffsets) {
        int index = indexOf(frame.getInt(at));
        refuse(index < 0 || nextOffsets[index] != NOT_ANSWERED, "a partition that was not asked for, or twice");
        at += Integer.BYTES;
        requireNoError();
        at += OFFSETS_BYTES;
        refuse(readVarint() > 1, "aborted transactions");
        at += Integer.BYTES;
        int sizeBytes = Math.max(0, readVarint() - 1);
        int end = at + sizeBytes;
        walk(index, end, askedOffsets[index]);
        at = end;
        skipTags();
    }

    private int indexOf(int partition) {
        for (int i = 0; i < partitions.length; i++) {
            if (partitions[i] == partition) {
                return i;
            }
        }
        return -1;
    }

    /** Returns the offset after the last whole batch of the partition; the requested one without a batch. */
    long nextOffset(int index) {
        return nextOffsets[index];
    }

    /**
     * Returns the bytes of whole batches of the partition. A broker's answer may end with a partial batch, which
     * consumers discard.
     */
    int recordBytes(int index) {
        return recordBytes[index];
    }

    private void walk(int index, int end, long askedOffset) {
        long nextOffset = askedOffset;
        int start = at;
        while (end - at >= BATCH_HEADER_BYTES) {
            int batchBytes = BATCH_LENGTH_END + frame.getInt(at + BATCH_LENGTH);
            if (batchBytes > end - at) {
                break;
            }
            refuse(frame.getLong(at) != nextOffset, "a batch out of order");
            nextOffset += frame.getInt(at + BATCH_LAST_OFFSET_DELTA) + 1;
            at += batchBytes;
        }
        nextOffsets[index] = nextOffset;
        recordBytes[index] = at - start;
    }

    private void skipTags() {
        for (int tags = readVarint(); tags > 0; tags--) {
            readVarint();
            int sizeBytes = readVarint();
            at += sizeBytes;
        }
    }

    private void requireNoError() {
        short error = frame.getShort(at);
        if (error != 0) {
            throw new IllegalStateException("fetch answered error " + error);
        }
        at += Short.BYTES;
    }

    private int readVarint() {
        int value = 0;
        for (int shift = 0; ; shift += 7) {
            byte next = frame.get(at++);
            value |= (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
    }

    private static void refuse(boolean wrong, String what) {
        if (wrong) {
            throw new IllegalStateException("fetch answered " + what);
        }
    }
}
