// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.count;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counters with one writer. Opaque access makes each value whole and lets it reach readers in the end; that they see
 * several values of different moments is all the same to who looks on, and the writer pays for no barrier.
 */
final class LoopCounters {
    private static final VarHandle VALUE = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] values;

    LoopCounters(int count) {
        values = new long[count];
    }

    /** By the writer only. */
    void add(int index, long amount) {
        VALUE.setOpaque(values, index, values[index] + amount);
    }

    /** Any thread. */
    long get(int index) {
        return (long) VALUE.getOpaque(values, index);
    }
}
