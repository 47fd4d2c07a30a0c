// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Reads Kafka's primitive encodings at absolute indices, without copying, allocating or throwing: the first value that
 * does not fit before the limit makes the cursor {@link #failed()} for good, and from then on every read gives 0. So a
 * walk may check once at its end, provided that its loops stop when the cursor failed. Reused for one frame after the
 * other; not thread-safe.
 */
public final class WireCursor {
    private ByteBuffer buffer;
    private int position;
    private int limit;
    private boolean flexible;
    private boolean failed = true;

    /**
     * Starts a walk of {@code [position, limit)}.
     *
     * @param flexible whether strings, bytes and arrays are in compact form and structs end in tagged fields
     */
    public WireCursor wrap(ByteBuffer frame, int position, int limit, boolean flexible) {
        if (position < 0 || limit > frame.limit() || position > limit) {
            throw new IndexOutOfBoundsException("[" + position + "," + limit + ") in " + frame);
        }
        if (frame.order() != ByteOrder.BIG_ENDIAN) {
            throw new IllegalArgumentException("Kafka frames are big-endian: " + frame);
        }
        this.buffer = frame;
        this.position = position;
        this.limit = limit;
        this.flexible = flexible;
        this.failed = false;
        return this;
    }

    public boolean failed() {
        return failed;
    }

    public int position() {
        return position;
    }

    public int remaining() {
        return limit - position;
    }

    public boolean isFlexible() {
        return flexible;
    }

    /** Gives up: the bytes are not what they should be. */
    public void fail() {
        failed = true;
        position = limit;
    }

    /** Steps over that many bytes; a negative count fails. */
    public void skip(int bytes) {
        if (failed || bytes < 0 || bytes > limit - position) {
            fail();
        } else {
            position += bytes;
        }
    }

    public byte int8() {
        int at = position;
        skip(Byte.BYTES);
        return failed ? 0 : buffer.get(at);
    }

    public short int16() {
        int at = position;
        skip(Short.BYTES);
        return failed ? 0 : buffer.getShort(at);
    }

    public int int32() {
        int at = position;
        skip(Integer.BYTES);
        return failed ? 0 : buffer.getInt(at);
    }

    public long int64() {
        int at = position;
        skip(Long.BYTES);
        return failed ? 0 : buffer.getLong(at);
    }

    /** An unsigned varint that fits 31 bits, as every count and length must. */
    public int unsignedVarint() {
        int value = varint();
        if (value < 0) {
            fail();
            return 0;
        }
        return value;
    }

    /** A field's tag, any unsigned number of 32 bits: negative from 2^31 on. */
    public int tag() {
        return varint();
    }

    /** At most five bytes; what does not fit 32 bits is dropped, as Kafka's readers do. */
    private int varint() {
        int value = 0;
        for (int shift = 0; shift <= 28; shift += 7) {
            byte b = int8();
            value |= (b & 0x7f) << shift;
            if (b >= 0) {
                return value;
            }
        }
        fail();
        return 0;
    }

    /** A varint of at most that many bytes (5 for an int, 10 for a long), skipped. */
    void skipVarint(int maxBytes) {
        for (int i = 0; i < maxBytes; i++) {
            if (int8() >= 0) {
                return;
            }
        }
        fail();
    }

    /** Length of the string that starts here, -1 for null; the cursor then stands at its first byte. */
    public int stringLength() {
        return flexible ? compactLength() : length(int16());
    }

    /**
     * As {@link #stringLength()} for a field that keeps the classic form even in flexible versions (client id in
     * headers).
     */
    public int classicStringLength() {
        return length(int16());
    }

    /** Length of the bytes or records that start here, -1 for null; the cursor then stands at the first byte. */
    public int bytesLength() {
        return flexible ? compactLength() : length(int32());
    }

    /** Steps over a string; null counts if {@code nullable}. */
    public void skipString(boolean nullable) {
        int length = stringLength();
        if (length >= 0) {
            skip(length);
        } else if (!nullable) {
            fail();
        }
    }

    /**
     * Number of elements of the array that starts here, -1 for null. Fails if that many elements of at least
     * {@code minElementBytes} cannot be in the bytes that remain.
     */
    public int arrayCount(int minElementBytes) {
        int count = flexible ? unsignedVarint() - 1 : int32();
        if (failed || count < -1 || count > remaining() / Math.max(1, minElementBytes)) {
            fail();
            return 0;
        }
        return count;
    }

    /** As {@link #arrayCount} where null is not allowed. */
    public int nonNullArrayCount(int minElementBytes) {
        int count = arrayCount(minElementBytes);
        if (count < 0) {
            fail();
            return 0;
        }
        return count;
    }

    /** Steps over a section of tagged fields, if this is a flexible version. */
    public void skipTags() {
        for (int i = tagCount(); i > 0 && !failed; i--) {
            tag();
            skip(unsignedVarint());
        }
    }

    /** Number of tagged fields in the section that starts here; 0 in versions that have none. */
    public int tagCount() {
        if (!flexible) {
            return 0;
        }
        int count = unsignedVarint();
        if (count > remaining() / 2) {
            fail();
            return 0;
        }
        return count;
    }

    private int compactLength() {
        return length(unsignedVarint() - 1);
    }

    private int length(int length) {
        if (failed || length < -1 || length > remaining()) {
            fail();
            return 0;
        }
        return length;
    }
}
