// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.ValueId;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** Maps the offsets of one partition to values. Offsets are mostly dense, but a broken history may contain any. */
final class SparseOffsets {
    private static final int CHUNK_BITS = 12;
    private static final int CHUNK = 1 << CHUNK_BITS;

    private final TreeMap<Long, long[]> chunks = new TreeMap<>();
    private long lastNumber = -1;
    private long[] lastChunk;
    private long end;

    /** Called with each offset that has a value, in ascending order. */
    interface Visitor {
        void visit(long offset, long value);
    }

    /** Returns one past the highest offset with a value. */
    long end() {
        return end;
    }

    long get(long offset) {
        long[] chunk = chunk(offset >> CHUNK_BITS);
        return chunk == null ? ValueId.NONE : chunk[(int) (offset & CHUNK - 1)];
    }

    /** Sets the value if absent. Returns the present value. */
    long putIfAbsent(long offset, long value) {
        long number = offset >> CHUNK_BITS;
        long[] chunk = chunk(number);
        if (chunk == null) {
            chunk = new long[CHUNK];
            Arrays.fill(chunk, ValueId.NONE);
            chunks.put(number, chunk);
            lastNumber = number;
            lastChunk = chunk;
        }
        int index = (int) (offset & CHUNK - 1);
        if (chunk[index] == ValueId.NONE) {
            chunk[index] = value;
            end = Math.max(end, offset + 1);
        }
        return chunk[index];
    }

    private long[] chunk(long number) {
        if (number != lastNumber) {
            lastNumber = number;
            lastChunk = chunks.get(number);
        }
        return lastChunk;
    }

    /** Visits offsets from {@code from} (inclusive) to {@code to} (exclusive). */
    void forEach(long from, long to, Visitor visitor) {
        if (from >= to) {
            return;
        }
        for (Map.Entry<Long, long[]> entry : chunks.subMap(from >> CHUNK_BITS, true, to - 1 >> CHUNK_BITS, true)
                .entrySet()) {
            long base = entry.getKey() << CHUNK_BITS;
            long[] chunk = entry.getValue();
            int last = (int) Math.min(CHUNK, to - base);
            for (int i = (int) Math.max(0, from - base); i < last; i++) {
                if (chunk[i] != ValueId.NONE) {
                    visitor.visit(base + i, chunk[i]);
                }
            }
        }
    }
}
