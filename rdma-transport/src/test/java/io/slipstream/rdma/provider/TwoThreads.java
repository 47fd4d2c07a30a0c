// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.provider;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Two threads that begin each of many rounds together, within nanoseconds. A missing fence or a second step that is not
 * atomic shows within some hundred thousand rounds.
 */
public final class TwoThreads {
    private static final long RACE_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int SPINS_BEFORE_YIELD = 2_000;
    private static final int MOST_JITTER_SPINS = 8;

    private final AtomicInteger mine = new AtomicInteger();
    private final AtomicInteger others = new AtomicInteger();
    private volatile boolean over;

    private TwoThreads() {}

    /**
     * Races for a second.
     *
     * @param check runs in the thread of {@code one} between two rounds, when both have ended
     */
    public static void race(Runnable one, Runnable other, Runnable check) throws Exception {
        TwoThreads race = new TwoThreads();
        CompletableFuture<Void> second = CompletableFuture.runAsync(
                () -> race.run(other, () -> {}, race.others, race.mine), task -> new Thread(task, "other").start());
        long startNs = System.nanoTime();
        try {
            race.run(
                    one,
                    () -> {
                        check.run();
                        race.over |= System.nanoTime() - startNs > RACE_NS;
                    },
                    race.mine,
                    race.others);
        } finally {
            // The steps may use memory that the test frees.
            second.get(10, TimeUnit.SECONDS);
        }
    }

    private void run(Runnable step, Runnable check, AtomicInteger own, AtomicInteger other) {
        try {
            for (int point = 1; !over; point += 3) {
                meet(point, own, other);
                if (over) {
                    return;
                }
                // In every second round either thread may be first: what precedes the race may take longer in one.
                int spins = (point & 1) == 0 ? 0 : ThreadLocalRandom.current().nextInt(MOST_JITTER_SPINS);
                for (; spins > 0; spins--) {
                    Thread.onSpinWait();
                }
                step.run();
                meet(point + 1, own, other);
                check.run();
                meet(point + 2, own, other);
            }
        } finally {
            over = true;
        }
    }

    private void meet(int point, AtomicInteger own, AtomicInteger other) {
        own.set(point);
        for (int spins = 0; other.get() < point && !over; spins++) {
            if (spins > SPINS_BEFORE_YIELD) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
        }
    }
}
