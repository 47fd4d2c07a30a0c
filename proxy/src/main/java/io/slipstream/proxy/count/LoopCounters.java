// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.count;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counters with one writer. Opaque access makes each value atomic and eventually visible, without a barrier for the
 * writer. A reader may see several values of different moments.
 */
final class LoopCounters {
    private final AtomicLongArray values;

    LoopCounters(int count) {
        values = new AtomicLongArray(count);
    }

    /** For the writer's thread only. */
    void add(int index, long amount) {
        values.setOpaque(index, values.getPlain(index) + amount);
    }

    /** For any thread. */
    long get(int index) {
        return values.getOpaque(index);
    }
}
