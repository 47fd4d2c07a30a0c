// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.completion;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Two threads that begin each of many rounds together, within nanoseconds. A missing fence shows within a second of
 * such rounds, because each processor delays its stores.
 */
public final class TwoThreads {
    private static final int SPINS_BEFORE_YIELD = 2_000;

    /** Work of one round. */
    public interface Step {
        void run(int round);
    }

    private final AtomicInteger mine = new AtomicInteger();
    private final AtomicInteger others = new AtomicInteger();
    private volatile boolean failed;

    private TwoThreads() {}

    /** @param check runs between two rounds, when both steps have ended */
    public static void race(int rounds, Step one, Step other, Step check) throws Exception {
        TwoThreads race = new TwoThreads();
        CompletableFuture<Void> second = CompletableFuture.runAsync(
                () -> race.run(rounds, other, round -> {}, race.others, race.mine),
                task -> new Thread(task, "other").start());
        race.run(rounds, one, check, race.mine, race.others);
        try {
            second.get(10, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("the other thread did not end", e);
        }
    }

    private void run(int rounds, Step step, Step check, AtomicInteger own, AtomicInteger other) {
        try {
            for (int round = 0; round < rounds && !failed; round++) {
                meet(3 * round + 1, own, other);
                step.run(round);
                meet(3 * round + 2, own, other);
                check.run(round);
                meet(3 * round + 3, own, other);
            }
        } catch (RuntimeException | Error e) {
            failed = true;
            throw e;
        }
    }

    private void meet(int point, AtomicInteger own, AtomicInteger other) {
        own.set(point);
        for (int spins = 0; other.get() < point && !failed; spins++) {
            if (spins > SPINS_BEFORE_YIELD) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
        }
    }
}
