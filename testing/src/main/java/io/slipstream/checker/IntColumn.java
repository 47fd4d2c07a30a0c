// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import java.util.Arrays;

/** A growing array of {@code int} in chunks, so that growth copies nothing. Unset elements have the default value. */
final class IntColumn {
    private static final int CHUNK_BITS = 14;
    private static final int CHUNK = 1 << CHUNK_BITS;

    private final int unset;
    private int[][] chunks = new int[4][];

    IntColumn(int unset) {
        this.unset = unset;
    }

    int get(int index) {
        int chunk = index >>> CHUNK_BITS;
        return chunk < chunks.length && chunks[chunk] != null ? chunks[chunk][index & CHUNK - 1] : unset;
    }

    void set(int index, int value) {
        int chunk = index >>> CHUNK_BITS;
        if (chunk >= chunks.length) {
            chunks = Arrays.copyOf(chunks, Math.max(chunk + 1, 2 * chunks.length));
        }
        if (chunks[chunk] == null) {
            chunks[chunk] = new int[CHUNK];
            Arrays.fill(chunks[chunk], unset);
        }
        chunks[chunk][index & CHUNK - 1] = value;
    }
}
