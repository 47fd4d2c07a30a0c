// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import org.HdrHistogram.Histogram;

/**
 * One load offered on one way.
 *
 * @param offered requests per second that were due
 * @param answered after the warm-up
 * @param elapsedNs from the first measured one being due to the last answer
 * @param latencies from when each was due to its answer, or to giving up on it, in nanoseconds
 * @param broker what it used from the start of the warm-up on, with {@code proxy} and {@code requestsByRdma}
 * @param all answered ones, with the warm-up's
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
    /** Fewer answers than that are a load that is not carried, however quick they were. */
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
