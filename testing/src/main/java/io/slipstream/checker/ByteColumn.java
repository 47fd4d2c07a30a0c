// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import java.util.Arrays;

/** A growing array of {@code byte} in chunks, so that growth copies nothing. Unset elements have the default value. */
final class ByteColumn {
    private static final int CHUNK_BITS = 14;
    private static final int CHUNK = 1 << CHUNK_BITS;

    private final byte unset;
    private byte[][] chunks = new byte[4][];

    ByteColumn(byte unset) {
        this.unset = unset;
    }

    byte get(int index) {
        int chunk = index >>> CHUNK_BITS;
        return chunk < chunks.length && chunks[chunk] != null ? chunks[chunk][index & CHUNK - 1] : unset;
    }

    void set(int index, byte value) {
        int chunk = index >>> CHUNK_BITS;
        if (chunk >= chunks.length) {
            chunks = Arrays.copyOf(chunks, Math.max(chunk + 1, 2 * chunks.length));
        }
        if (chunks[chunk] == null) {
            chunks[chunk] = new byte[CHUNK];
            Arrays.fill(chunks[chunk], unset);
        }
        chunks[chunk][index & CHUNK - 1] = value;
    }
}
