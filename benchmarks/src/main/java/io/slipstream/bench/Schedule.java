// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.util.concurrent.TimeUnit;

/**
 * Scheduled times of open-loop requests: in each period, a burst at its start, then others spread evenly.
 *
 * @param burst requests at once; 0 for a constant rate
 * @param steady requests spread over the period, the first at its start
 */
record Schedule(int burst, int steady, double periodNs) {
    private static final double SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    static Schedule constant(double perSecond) {
        return new Schedule(0, 1, SECOND_NS / perSecond);
    }

    static Schedule bursts(int burst, int steady, long periodNs) {
        return new Schedule(burst, steady, periodNs);
    }

    /** Returns the scheduled time of a request (index from 0), relative to the start. */
    long dueNs(long index) {
        long period = index / (burst + steady);
        long within = index % (burst + steady) - burst;
        return (long) (period * periodNs + (within <= 0 ? 0 : within * periodNs / steady));
    }

    /** Returns the number of requests scheduled before that time. */
    long before(long timeNs) {
        long periods = (long) (timeNs / periodNs);
        double restNs = timeNs - periods * periodNs;
        long begun = restNs > 0 ? burst + Math.min(steady, (long) Math.ceil(restNs * steady / periodNs)) : 0;
        return periods * (burst + steady) + begun;
    }
}
