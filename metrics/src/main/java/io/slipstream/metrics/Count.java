// SPDX-License-Identifier: Apache-2.0
package io.slipstream.metrics;

import java.util.concurrent.atomic.LongAdder;

/**
 * One series of a counter or gauge. Resolve it once ({@link MeterRegistry#count}), keep it in a field, and use it from
 * any thread. An add is one uncontended compare-and-swap on a cell of its own and allocates nothing.
 */
public final class Count {
    private final LongAdder adder = new LongAdder();

    Count() {}

    public void increment() {
        adder.increment();
    }

    /** Gauges only. */
    public void decrement() {
        adder.decrement();
    }

    public void add(long amount) {
        adder.add(amount);
    }

    public long value() {
        return adder.sum();
    }
}
