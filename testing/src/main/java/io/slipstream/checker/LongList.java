// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import java.util.Arrays;

/** A growing list of {@code long}. */
final class LongList {
    private long[] elements = new long[16];
    private int size;

    void add(long element) {
        if (size == elements.length) {
            elements = Arrays.copyOf(elements, 2 * size);
        }
        elements[size++] = element;
    }

    long get(int index) {
        return elements[index];
    }

    int size() {
        return size;
    }

    void clear() {
        size = 0;
    }
}
