// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import org.HdrHistogram.Histogram;

/**
 * One load offered on one way.
 *
 * @param offered scheduled requests per second
 * @param answered answers after the warm-up
 * @param elapsedNs from the first measured request's scheduled time to the last answer
 * @param latencies nanoseconds from each request's scheduled time to its answer, or to giving up
 * @param broker resource use from the start of the warm-up, with {@code proxy} and {@code requestsByRdma}
 * @param all answered requests including the warm-up
 */
record LoadSample(
        Way way,
        int offered,
        int round,
        long answered,
        long elapsedNs,
        Histogram latencies,
        ProcessUse broker,
        ProcessUse proxy,
        long requestsByRdma,
        long all) {
    /** With a lower share of answers, the load is not sustained, whatever the latency. */
    private static final double LEAST_SHARE = 0.95;

    double perSecond() {
        return answered * 1e9 / elapsedNs;
    }

    double p99Ms() {
        return latencies.getValueAtPercentile(99) / 1e6;
    }

    double medianUs() {
        return latencies.getValueAtPercentile(50) / 1e3;
    }

    boolean isCarried(double p99LimitMs) {
        return p99Ms() <= p99LimitMs && !isOverload();
    }

    boolean isOverload() {
        return perSecond() < LEAST_SHARE * offered;
    }
}
