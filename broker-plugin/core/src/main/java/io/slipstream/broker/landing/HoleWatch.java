package io.slipstream.broker.landing;

import java.util.function.LongSupplier;

/** Since when an order is waited for that does not come. Guarded by the landing's monitor. */
final class HoleWatch {
    private final LongSupplier clock;
    private long progressAtNs;
    private long waitingSinceNs;
    private boolean watched;

    HoleWatch(LongSupplier clock) {
        this.clock = clock;
    }

    /** A turn was done. */
    void progressed() {
        progressAtNs = clock.getAsLong();
    }

    /** The first one waits. */
    void waits() {
        waitingSinceNs = clock.getAsLong();
    }

    /** Whether somebody has to look from time to time from now on. */
    boolean begin() {
        boolean begins = !watched;
        watched = true;
        return begins;
    }

    /** Nobody looks any more. */
    void end() {
        watched = false;
    }

    /** How long the next order has been waited for. */
    long ageNs() {
        long nowNs = clock.getAsLong();
        return Math.min(nowNs - progressAtNs, nowNs - waitingSinceNs);
    }
}
