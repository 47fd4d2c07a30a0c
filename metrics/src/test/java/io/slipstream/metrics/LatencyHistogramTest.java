// SPDX-License-Identifier: Apache-2.0
package io.slipstream.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LatencyHistogramTest {
    @Test
    void shouldPutEveryDurationBelowItsBucketsBoundAndAboveTheOneBefore() {
        for (long ns = 0; ns < 1L << 36; ns = ns < 4096 ? ns + 1 : ns + ns / 37) {
            int bucket = LatencyHistogram.bucketOf(ns);
            assertThat(ns).isLessThan(LatencyHistogram.upperBoundNs(bucket));
            if (bucket > 0) {
                assertThat(ns).isGreaterThanOrEqualTo(LatencyHistogram.upperBoundNs(bucket - 1));
            }
        }
    }

    @Test
    void shouldGiveQuantilesWithinAQuarterOfAnExactHistogram() {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        Random random = new Random(seed);
        LatencyHistogram histogram = new LatencyHistogram();
        Histogram exact = new Histogram(3);
        for (int i = 0; i < 100_000; i++) {
            long ns = (long) (2_000 * Math.exp(random.nextGaussian() * 2)) + 1_024;
            histogram.recordNs(ns);
            exact.recordValue(ns);
        }
        for (double quantile : new double[] {0.5, 0.9, 0.99, 0.999}) {
            double expected = exact.getValueAtPercentile(quantile * 100);
            assertThat((double) histogram.quantileNs(quantile))
                    .as("quantile %s, seed %d", quantile, seed)
                    .isBetween(expected * 0.99, expected * 1.26);
        }
    }

    @Test
    void shouldTakeNegativeAndHugeDurations() {
        LatencyHistogram histogram = new LatencyHistogram();
        histogram.recordNs(-5);
        histogram.recordNs(Long.MAX_VALUE / 2);
        assertThat(histogram.count()).isEqualTo(2);
        assertThat(histogram.counts()[0]).isEqualTo(1);
        assertThat(histogram.counts()[LatencyHistogram.BUCKETS - 1]).isEqualTo(1);
    }
}
