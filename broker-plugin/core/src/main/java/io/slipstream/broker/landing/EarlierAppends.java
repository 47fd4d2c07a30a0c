package io.slipstream.broker.landing;

import java.util.concurrent.TimeUnit;

/**
 * Appends that began before anybody placed batches: the first link to begin waits for their end, and those that come then wait for it. Guarded by the
 * landing's monitor.
 */
final class EarlierAppends {
    /** They hold no locks that anyone needs who waits for them. */
    private static final long LONGEST_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Object monitor;
    private int count;
    private boolean awaited;

    EarlierAppends(Object monitor) {
        this.monitor = monitor;
    }

    void begin() {
        count++;
    }

    void end() {
        count--;
        monitor.notifyAll();
    }

    /** Waits until there is none, for a while; no new one begins meanwhile. False if there is one still. */
    boolean awaitNone() {
        awaited = true;
        long deadlineNs = System.nanoTime() + LONGEST_NS;
        while (count > 0 && System.nanoTime() - deadlineNs < 0 && pause(deadlineNs)) {}
        awaited = false;
        monitor.notifyAll();
        return count == 0;
    }

    /** Waits while somebody waits for those before. */
    void awaitNotAwaited() {
        long deadlineNs = System.nanoTime() + LONGEST_NS;
        while (awaited && System.nanoTime() - deadlineNs < 0 && pause(deadlineNs)) {}
    }

    private boolean pause(long deadlineNs) {
        try {
            TimeUnit.NANOSECONDS.timedWait(monitor, Math.max(1, deadlineNs - System.nanoTime()));
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
