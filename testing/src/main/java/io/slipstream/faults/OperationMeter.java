// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** Meters client operations: the number of successes in a span of time, and the longest gap between them. */
final class OperationMeter implements AutoCloseable {
    private static final long TICK_NS = 10_000_000L;

    private final LongSupplier succeeded;
    private final Thread thread;
    private long lastCount;
    private long lastProgressNs;
    private long longestGapNs;
    private volatile boolean stopped;

    /** @param succeeded number of successful operations so far; never decreases */
    OperationMeter(LongSupplier succeeded) {
        this.succeeded = succeeded;
        thread = new Thread(this::run, "operation-meter");
        thread.setDaemon(true);
        reset();
        thread.start();
    }

    /** A span, from {@link #begin()} until now. */
    record Span(long okOperations, long longestGapNs) {}

    /** Returns the token for {@link #since}. Spans do not overlap: a new span discards earlier gaps. */
    synchronized long begin() {
        reset();
        return lastCount;
    }

    synchronized Span since(long begin) {
        tick();
        return new Span(lastCount - begin, longestGapNs);
    }

    long succeeded() {
        return succeeded.getAsLong();
    }

    private synchronized void reset() {
        lastCount = succeeded.getAsLong();
        lastProgressNs = System.nanoTime();
        longestGapNs = 0;
    }

    private synchronized void tick() {
        long nowNs = System.nanoTime();
        long count = succeeded.getAsLong();
        longestGapNs = Math.max(longestGapNs, nowNs - lastProgressNs);
        if (count > lastCount) {
            lastCount = count;
            lastProgressNs = nowNs;
        }
    }

    private void run() {
        while (!stopped) {
            LockSupport.parkNanos(TICK_NS);
            tick();
        }
    }

    @Override
    public void close() {
        stopped = true;
    }
}
