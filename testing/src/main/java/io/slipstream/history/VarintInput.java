// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Reads the output of {@link VarintOutput}. Not safe for concurrent use. */
final class VarintInput implements AutoCloseable {
    private static final int LONGEST_TEXT_BYTES = 1 << 20;

    private final InputStream in;
    private final byte[] buffer = new byte[1 << 16];
    private int position;
    private int limit;

    VarintInput(InputStream in) {
        this.in = in;
    }

    long readLong() throws IOException {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            byte next = readByte();
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value >>> 1 ^ -(value & 1);
            }
        }
        throw new IOException("a number of more than ten bytes");
    }

    int readFixedInt() throws IOException {
        return readByte() & 0xff | (readByte() & 0xff) << 8 | (readByte() & 0xff) << 16 | readByte() << 24;
    }

    String readText() throws IOException {
        long length = readLong();
        if (length < 0 || length > LONGEST_TEXT_BYTES) {
            throw new IOException("a text of " + length + " bytes");
        }
        byte[] bytes = new byte[(int) length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = readByte();
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private byte readByte() throws IOException {
        if (position == limit) {
            position = 0;
            limit = Math.max(0, in.read(buffer));
            if (limit == 0) {
                throw new EOFException("the history ends in the middle: its recorder was not closed");
            }
        }
        return buffer[position++];
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
