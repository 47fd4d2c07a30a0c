// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

import java.util.function.LongSupplier;

/**
 * The pause between two looks of a thread that looks for work before it sleeps. Threads that wait for this processor
 * go first: one of them may do that work. On a busy machine this costs a time slice, so the next 4,000 pauses are
 * short. For one thread at a time; allocates nothing.
 */
public final class SpinPause {
    static final int SHORT_PAUSES = 4_000;
    /** Threads that work on a request keep the processor for a shorter time. */
    static final long LONG_YIELD_NS = 100_000;

    private final LongSupplier clockNs;
    private final Runnable yield;
    private int shortLeft;

    public SpinPause(LongSupplier clockNs, Runnable yield) {
        this.clockNs = clockNs;
        this.yield = yield;
    }

    /** Takes as long as other threads keep the processor. */
    public void pause() {
        if (shortLeft > 0) {
            shortLeft--;
            Thread.onSpinWait();
            return;
        }
        long startNs = clockNs.getAsLong();
        yield.run();
        if (clockNs.getAsLong() - startNs > LONG_YIELD_NS) {
            shortLeft = SHORT_PAUSES;
        }
    }
}
