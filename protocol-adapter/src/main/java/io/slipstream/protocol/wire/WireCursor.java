// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Reads Kafka's primitive encodings at absolute indices, without copying, allocating or throwing. The first value that
 * exceeds the limit sets the cursor to {@link #failed()} permanently; every later read returns 0. A walk may therefore
 * check once at its end, provided that its loops stop when the cursor has failed. Reused for many frames. Not
 * thread-safe.
 */
public final class WireCursor {
    private ByteBuffer buffer;
    private int position;
    private int limit;
    private boolean flexible;
    private boolean failed = true;

    /**
     * Starts a walk over {@code [position, limit)}.
     *
     * @param flexible whether strings, bytes and arrays are compact and structs end with tagged fields
     */
    public WireCursor wrap(ByteBuffer frame, int position, int limit, boolean flexible) {
        if (position < 0 || limit > frame.limit() || position > limit) {
            throw new IndexOutOfBoundsException("[" + position + "," + limit + ") in " + frame);
        }
        return wrapPart(frame, position, limit, flexible);
    }

    /** As {@link #wrap}, with a limit beyond the buffer's: counts and lengths may reach up to it, but no read may. */
    public WireCursor wrapPart(ByteBuffer frame, int position, int limit, boolean flexible) {
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

    /** Marks the cursor as failed because the bytes are invalid. */
    public void fail() {
        failed = true;
        position = limit;
    }

    /** Skips that many bytes; a negative count fails. */
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

    /** Reads an unsigned varint of at most 31 bits, as every count and length must be. */
    public int unsignedVarint() {
        int value = tag();
        if (value < 0) {
            fail();
            return 0;
        }
        return value;
    }

    /**
     * Reads a field's tag, an unsigned varint of 32 bits; values from 2^31 on are negative. Reads at most five bytes.
     * Bits beyond 32 are dropped, as in Kafka's readers.
     */
    public int tag() {
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

    /** Length of the string that starts here, -1 for null; moves the cursor to its first byte. */
    public int stringLength() {
        return flexible ? compactLength() : length(int16());
    }

    /**
     * As {@link #stringLength()} for a field with the classic encoding even in flexible versions (client id in
     * headers).
     */
    public int classicStringLength() {
        return length(int16());
    }

    /** Length of the bytes or records that start here, -1 for null; moves the cursor to the first byte. */
    public int bytesLength() {
        return flexible ? compactLength() : length(int32());
    }

    /** Skips a string; null is valid only if {@code nullable}. */
    public void skipString(boolean nullable) {
        int length = stringLength();
        if (length >= 0) {
            skip(length);
        } else if (!nullable) {
            fail();
        }
    }

    /**
     * Number of elements of the array that starts here, -1 for null. Fails if the remaining bytes cannot hold that many
     * elements of at least {@code minElementBytes}.
     */
    public int arrayCount(int minElementBytes) {
        int count = flexible ? unsignedVarint() - 1 : int32();
        if (failed || count < -1 || count > remaining() / Math.max(1, minElementBytes)) {
            fail();
            return 0;
        }
        return count;
    }

    /** As {@link #arrayCount} for an array that must not be null. */
    public int nonNullArrayCount(int minElementBytes) {
        int count = arrayCount(minElementBytes);
        if (count < 0) {
            fail();
            return 0;
        }
        return count;
    }

    /** Skips a section of tagged fields if this is a flexible version. */
    public void skipTags() {
        for (int i = tagCount(); i > 0 && !failed; i--) {
            tag();
            skip(unsignedVarint());
        }
    }

    /** Number of tagged fields in the section that starts here; 0 in versions without tagged fields. */
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

    /** Kafka's readers take each negative length of the classic encoding for null. */
    private int length(int length) {
        if (failed || length > remaining()) {
            fail();
            return 0;
        }
        return Math.max(-1, length);
    }
}
