// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.transport;

import java.util.Arrays;

/** Median and 99th percentile of one measurement, in microseconds. */
record Latency(double p50Us, double p99Us) {
    private static final double NS_PER_US = 1_000;

    /**
     * Computed as in perftest: from the intervals between the starts of successive operations.
     *
     * @param startsNs start of each operation, at least two
     * @param legs 2 if an interval is a round trip, of which half counts, else 1
     */
    static Latency between(long[] startsNs, int legs) {
        long[] intervalsNs = new long[startsNs.length - 1];
        for (int i = 0; i < intervalsNs.length; i++) {
            intervalsNs[i] = startsNs[i + 1] - startsNs[i];
        }
        Arrays.sort(intervalsNs);
        return new Latency(
                intervalsNs[intervalsNs.length / 2] / NS_PER_US / legs,
                intervalsNs[intervalsNs.length * 99 / 100] / NS_PER_US / legs);
    }
}
