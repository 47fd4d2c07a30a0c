// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.process.PathCounts;
import org.HdrHistogram.Histogram;

/**
 * The whole traffic of one time on one way.
 *
 * @param delays from when each record was due to a consumer having it, in nanoseconds
 * @param acknowledgements to its producer knowing that the broker has it
 * @param elapsedNs of what was measured
 * @param records with those of the warm-up, of which all that follows is
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
