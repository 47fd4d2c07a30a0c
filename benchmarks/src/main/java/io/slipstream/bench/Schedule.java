// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.util.concurrent.TimeUnit;

/**
 * When requests are due that do not wait for each other's answers: in each period some at once at its beginning, then others spread evenly over it.
 *
 * @param burst at once; 0 for a constant rate
 * @param steady spread over the period, the first of them at its beginning, too
 */
record Schedule(int burst, int steady, double periodNs) {
    private static final double SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    static Schedule constant(double perSecond) {
        return new Schedule(0, 1, SECOND_NS / perSecond);
    }

    static Schedule bursts(int burst, int steady, long periodNs) {
        return new Schedule(burst, steady, periodNs);
    }

    /** After the start, of the request of that index from 0. */
    long dueNs(long index) {
        long period = index / (burst + steady);
        long within = index % (burst + steady) - burst;
        return (long) (period * periodNs + (within <= 0 ? 0 : within * periodNs / steady));
    }

    /** How many are due before that time. */
    long before(long timeNs) {
        long periods = (long) (timeNs / periodNs);
        double restNs = timeNs - periods * periodNs;
        long begun = restNs > 0 ? burst + Math.min(steady, (long) Math.ceil(restNs * steady / periodNs)) : 0;
        return periods * (burst + steady) + begun;
    }
}
