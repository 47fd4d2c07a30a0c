// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.slipstream.bench.report.Metric;
import io.slipstream.bench.report.Result;
import io.slipstream.bench.report.Subject;
import io.slipstream.process.PathCounts;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class MixedSummaryTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final int VALUE_BYTES = 1_000;
    private static final int MEASURED = 400;
    private static final int WITH_WARMUP = 500;

    @Test
    void shouldCountMeasuredRecordsForRatesAndAllForProcessorTime() {
        List<MixedSample> samples = List.of(
                sample(Way.DIRECT, 0, 1_000_000), sample(Way.PROXY_RDMA, 0, 500_000),
                sample(Way.DIRECT, 1, 1_000_000), sample(Way.PROXY_RDMA, 1, 1_500_000));

        Result rdma =
                MixedSummary.of(new Subject("mixed", "MIXED", "mixed", Map.of()), Way.PROXY_RDMA, VALUE_BYTES, samples);

        assertThat(value(rdma, Metric.RATE)).isCloseTo(MEASURED, within(1e-9));
        assertThat(value(rdma, Metric.BANDWIDTH)).isCloseTo(0.4, within(1e-9));
        assertThat(value(rdma, Metric.BROKER_TIME)).isCloseTo(100, within(1e-9));
        assertThat(value(rdma, Metric.PROXY_TIME)).isCloseTo(40, within(1e-9));
        assertThat(value(rdma, Metric.CLIENT_TIME)).isCloseTo(20, within(1e-9));
        assertThat(rdma.figure(Metric.RATIO).lowest()).isCloseTo(0.5, within(0.01));
        assertThat(rdma.figure(Metric.RATIO).highest()).isCloseTo(1.5, within(0.01));
        assertThat(value(rdma, Metric.ACKED_MEDIAN)).isCloseTo(300, within(1.0));
        assertThat(value(rdma, Metric.RDMA_SHARE)).isCloseTo(0.9, within(1e-9));
        assertThat(WorkloadSuite.problems(List.of(rdma), List.of()))
                .containsExactly("only 90.0 % of the requests of 'mixed' went by the path of 'proxy, RDMA'");
    }

    private static double value(Result result, Metric metric) {
        return result.figure(metric).value();
    }

    private static MixedSample sample(Way way, int round, long delayNs) {
        Histogram delays = Measurement.newHistogram();
        delays.recordValueWithCount(delayNs, MEASURED);
        Histogram acknowledgements = Measurement.newHistogram();
        acknowledgements.recordValueWithCount(300_000, MEASURED);
        return new MixedSample(
                way,
                round,
                delays,
                acknowledgements,
                SECOND_NS,
                WITH_WARMUP,
                new ProcessUse(50_000_000, 0, 0),
                new ProcessUse(20_000_000, 0, 0),
                10_000_000,
                new PathCounts(450, 450, 50, 50));
    }
}
