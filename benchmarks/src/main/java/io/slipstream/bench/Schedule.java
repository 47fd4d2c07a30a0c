package io.slipstream.bench;

import java.util.concurrent.TimeUnit;

/**
 * When requests are due that do not wait for each other's answers. Always {@code burst} of them at once, then none until the next are due.
 *
 * @param burst 1 for a constant rate
 * @param periodNs from one burst to the next
 */
record Schedule(int burst, double periodNs) {
    private static final double SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    static Schedule constant(double perSecond) {
        return new Schedule(1, SECOND_NS / perSecond);
    }

    static Schedule bursts(int burst, long periodNs) {
        return new Schedule(burst, periodNs);
    }

    /** After the start, of the request of that index from 0. */
    long dueNs(long index) {
        return (long) (index / burst * periodNs);
    }

    /** How many are due before that time. */
    long before(long timeNs) {
        return (long) Math.ceil(timeNs / periodNs) * burst;
    }
}
