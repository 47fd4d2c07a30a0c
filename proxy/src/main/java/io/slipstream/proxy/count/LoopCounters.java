// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.count;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counters with one writer. Opaque access makes each value atomic and eventually visible, without a barrier for the
 * writer. A reader may see several values of different moments.
 */
final class LoopCounters {
    private static final VarHandle VALUE = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] values;

    LoopCounters(int count) {
        values = new long[count];
    }

    /** For the writer's thread only. */
    void add(int index, long amount) {
        VALUE.setOpaque(values, index, values[index] + amount);
    }

    /** For any thread. */
    long get(int index) {
        return (long) VALUE.getOpaque(values, index);
    }
}
