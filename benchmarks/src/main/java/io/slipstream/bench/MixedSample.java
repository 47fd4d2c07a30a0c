// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.process.PathCounts;
import org.HdrHistogram.Histogram;

/**
 * The whole traffic of one interval on one way.
 *
 * @param delays nanoseconds from each record's scheduled time to its receipt by a consumer
 * @param acknowledgements nanoseconds to its acknowledgement at the producer
 * @param elapsedNs length of the measured part
 * @param records number of records including the warm-up, as for all following figures
 */
record MixedSample(
        Way way,
        int round,
        Histogram delays,
        Histogram acknowledgements,
        long elapsedNs,
        long records,
        ProcessUse broker,
        ProcessUse proxy,
        long clientNs,
        PathCounts paths) {
    double medianUs() {
        return delays.getValueAtPercentile(50) / 1e3;
    }

    double p99Us() {
        return delays.getValueAtPercentile(99) / 1e3;
    }
}
