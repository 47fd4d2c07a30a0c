// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.util.Arrays;

/**
 * One stream of events on one way.
 *
 * @param delaysNs of all events, from when each was due until the consumer held it
 * @param firstMeasured index of the first one that is not of the warm-up
 * @param broker what it used for all of them, with {@code proxy} and {@code requestsByRdma}
 * @param requests answered ones of producer and consumer
 */
record EventSample(
        EventStream stream,
        Way way,
        int round,
        long[] delaysNs,
        int firstMeasured,
        ProcessUse broker,
        ProcessUse proxy,
        long requestsByRdma,
        long requests) {
    /** After the end of the warm-up, by the schedule. */
    double dueSeconds(int index) {
        Schedule schedule = stream.schedule();
        return (schedule.dueNs(index) - schedule.dueNs(firstMeasured)) / 1e9;
    }

    double percentileUs(double percentile) {
        return percentileUs(Arrays.copyOfRange(delaysNs, firstMeasured, delaysNs.length), percentile);
    }

    /** The smallest value that so many percent do not exceed. Sorts. */
    static double percentileUs(long[] valuesNs, double percentile) {
        Arrays.sort(valuesNs);
        int rank = (int) Math.ceil(percentile / 100 * valuesNs.length);
        return valuesNs[Math.max(1, rank) - 1] / 1e3;
    }
}
