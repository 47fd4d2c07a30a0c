// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Writes integers with variable length: seven bits per byte, least significant first, sign in the lowest bit. Not safe
 * for concurrent use.
 */
final class VarintOutput implements AutoCloseable {
    private static final int LONGEST_BYTES = 10;

    private final OutputStream out;
    private final byte[] buffer = new byte[1 << 16];
    private int used;

    VarintOutput(OutputStream out) {
        this.out = out;
    }

    void writeLong(long value) throws IOException {
        if (used + LONGEST_BYTES > buffer.length) {
            flush();
        }
        long rest = value << 1 ^ value >> 63;
        while ((rest & ~0x7fL) != 0) {
            buffer[used++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        buffer[used++] = (byte) rest;
    }

    /** Writes four bytes, for numbers without a pattern. */
    void writeFixedInt(int value) throws IOException {
        if (used + Integer.BYTES > buffer.length) {
            flush();
        }
        buffer[used++] = (byte) value;
        buffer[used++] = (byte) (value >> 8);
        buffer[used++] = (byte) (value >> 16);
        buffer[used++] = (byte) (value >> 24);
    }

    void writeText(String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        writeLong(bytes.length);
        flush();
        out.write(bytes);
    }

    private void flush() throws IOException {
        out.write(buffer, 0, used);
        used = 0;
    }

    @Override
    public void close() throws IOException {
        flush();
        out.close();
    }
}
