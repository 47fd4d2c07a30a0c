// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.util.concurrent.TimeUnit;

/** Default lengths of the first warm-up and of a measurement of a workload, in milliseconds. */
enum Effort {
    TABLE(3_000, 1_000),
    /** Three brokers compile on the same CPUs, and an answer depends on compiled code in each. */
    CLUSTER(10_000, 2_000),
    SWEEP(700, 400);

    static final int FULL_ROUNDS = 5;
    static final int QUICK_ROUNDS = 3;

    private final int warmupMs;
    private final int measureMs;

    Effort(int warmupMs, int measureMs) {
        this.warmupMs = warmupMs;
        this.measureMs = measureMs;
    }

    static int rounds(BenchOptions options) {
        return options.rounds(options.isQuick() ? QUICK_ROUNDS : FULL_ROUNDS);
    }

    Bench.Pace pace(BenchOptions options) {
        int measured = options.measureMs(measureMs);
        return new Bench.Pace(
                rounds(options),
                TimeUnit.MILLISECONDS.toNanos(options.warmupMs(options.isQuick() ? warmupMs * 3 / 5 : warmupMs)),
                TimeUnit.MILLISECONDS.toNanos(Math.max(1, measured / 5)),
                TimeUnit.MILLISECONDS.toNanos(measured));
    }
}
