// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A point in time at which a wait times out. Immutable; safe for concurrent use. */
public final class Deadline {
    private static final long FIRST_PAUSE_NS = 1_000_000L;
    private static final long LONGEST_PAUSE_NS = 50_000_000L;

    private final long endNs;

    private Deadline(long endNs) {
        this.endNs = endNs;
    }

    public static Deadline after(Duration duration) {
        return new Deadline(System.nanoTime() + duration.toNanos());
    }

    public boolean isOver() {
        return remainingNs() <= 0;
    }

    /** Returns the remaining nanoseconds; negative after the deadline. */
    public long remainingNs() {
        return endNs - System.nanoTime();
    }

    /** Returns the remaining milliseconds, at least 1 because some calls treat 0 as no timeout. */
    public int remainingMs() {
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, remainingNs() / 1_000_000L));
    }

    /**
     * Polls the condition with growing pauses. Returns false if the deadline passes or the thread is interrupted first.
     */
    public boolean await(BooleanSupplier condition) {
        long pauseNs = FIRST_PAUSE_NS;
        while (!condition.getAsBoolean()) {
            long leftNs = remainingNs();
            if (leftNs <= 0 || Thread.currentThread().isInterrupted()) {
                return false;
            }
            LockSupport.parkNanos(Math.min(pauseNs, leftNs));
            pauseNs = Math.min(LONGEST_PAUSE_NS, pauseNs * 2);
        }
        return true;
    }
}
