// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import java.util.Arrays;

/** A growing array of {@code long} in chunks, so that growth copies nothing. Unset elements have the default value. */
final class LongColumn {
    private static final int CHUNK_BITS = 14;
    private static final int CHUNK = 1 << CHUNK_BITS;

    private final long unset;
    private long[][] chunks = new long[4][];

    LongColumn(long unset) {
        this.unset = unset;
    }

    long get(int index) {
        int chunk = index >>> CHUNK_BITS;
        return chunk < chunks.length && chunks[chunk] != null ? chunks[chunk][index & CHUNK - 1] : unset;
    }

    void set(int index, long value) {
        int chunk = index >>> CHUNK_BITS;
        if (chunk >= chunks.length) {
            chunks = Arrays.copyOf(chunks, Math.max(chunk + 1, 2 * chunks.length));
        }
        if (chunks[chunk] == null) {
            chunks[chunk] = new long[CHUNK];
            Arrays.fill(chunks[chunk], unset);
        }
        chunks[chunk][index & CHUNK - 1] = value;
    }
}
