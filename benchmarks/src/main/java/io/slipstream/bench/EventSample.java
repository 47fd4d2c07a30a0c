// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.util.Arrays;

/**
 * One stream of events on one way.
 *
 * @param delaysNs delay of each event, from its scheduled time until the consumer received it
 * @param firstMeasured index of the first event after the warm-up
 * @param broker resource use of the broker for all events, with {@code proxy} and {@code requestsByRdma}
 * @param requests answered requests of producer and consumer
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
    /** Seconds after the end of the warm-up, by the schedule. */
    double dueSeconds(int index) {
        Schedule schedule = stream.schedule();
        return (schedule.dueNs(index) - schedule.dueNs(firstMeasured)) / 1e9;
    }

    double percentileUs(double percentile) {
        return percentileUs(Arrays.copyOfRange(delaysNs, firstMeasured, delaysNs.length), percentile);
    }

    /** Returns the percentile of the values in microseconds. Sorts the array. */
    static double percentileUs(long[] valuesNs, double percentile) {
        Arrays.sort(valuesNs);
        int rank = (int) Math.ceil(percentile / 100 * valuesNs.length);
        return valuesNs[Math.max(1, rank) - 1] / 1e3;
    }
}
