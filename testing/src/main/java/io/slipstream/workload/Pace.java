// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import java.util.concurrent.locks.LockSupport;

/** Spreads operations evenly over time; operations missed during a fault are not made up. */
final class Pace {
    private final long intervalNs;
    private long nextNs = System.nanoTime();

    /** @param perSecond 0 for no limit */
    Pace(int perSecond) {
        intervalNs = perSecond == 0 ? 0 : 1_000_000_000L / perSecond;
    }

    /** Waits until the next operations are due. */
    void await(int operations) {
        if (intervalNs == 0) {
            return;
        }
        long now = System.nanoTime();
        nextNs = Math.max(nextNs, now - 10_000_000L) + intervalNs * operations;
        while (System.nanoTime() < nextNs - intervalNs * operations) {
            LockSupport.parkNanos(nextNs - intervalNs * operations - System.nanoTime());
        }
    }
}
