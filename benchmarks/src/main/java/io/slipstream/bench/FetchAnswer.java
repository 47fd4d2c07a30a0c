package io.slipstream.bench;

import java.nio.ByteBuffer;

/**
 * Takes a Fetch answer of one topic and one partition apart, as much of it as a consumer needs to go on: errors, and where whole batches end.
 * For versions 13 and newer. Reusable; allocates nothing.
 */
final class FetchAnswer {
    private static final int TOPIC_ID_BYTES = 16;
    /** High watermark, last stable offset, log start offset. */
    private static final int OFFSETS_BYTES = 3 * Long.BYTES;

    private static final int BATCH_LENGTH = 8;
    private static final int BATCH_LAST_OFFSET_DELTA = 23;
    private static final int BATCH_HEADER_BYTES = 61;
    private static final int BATCH_LENGTH_END = 12;

    private ByteBuffer frame;
    private int at;
    private long nextOffset;
    private int recordBytes;

    /**
     * @param answer from its correlation id to its end; its position is left alone
     * @param askedOffset of the request
     * @throws IllegalStateException if it tells an error, or its batches do not follow from that offset without a gap
     */
    void read(ByteBuffer answer, long askedOffset) {
        frame = answer;
        at = answer.position() + Integer.BYTES;
        refuse(readVarint() != 0, "tagged fields in the header");
        at += Integer.BYTES;
        requireNoError();
        at += Integer.BYTES;
        refuse(readVarint() != 2, "not one topic");
        at += TOPIC_ID_BYTES;
        refuse(readVarint() != 2, "not one partition");
        at += Integer.BYTES;
        requireNoError();
        at += OFFSETS_BYTES;
        refuse(readVarint() > 1, "aborted transactions");
        at += Integer.BYTES;
        walk(readVarint() - 1, askedOffset);
    }

    /** Behind the last whole batch; the asked one if there was none. */
    long nextOffset() {
        return nextOffset;
    }

    /** Of whole batches. A broker's answer may end with a part of one, which consumers throw away. */
    int recordBytes() {
        return recordBytes;
    }

    private void walk(int sizeBytes, long askedOffset) {
        nextOffset = askedOffset;
        recordBytes = 0;
        int end = at + Math.max(0, sizeBytes);
        while (end - at >= BATCH_HEADER_BYTES) {
            int batchBytes = BATCH_LENGTH_END + frame.getInt(at + BATCH_LENGTH);
            if (batchBytes > end - at) {
                return;
            }
            refuse(frame.getLong(at) != nextOffset, "a batch out of order");
            nextOffset += frame.getInt(at + BATCH_LAST_OFFSET_DELTA) + 1;
            recordBytes += batchBytes;
            at += batchBytes;
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
