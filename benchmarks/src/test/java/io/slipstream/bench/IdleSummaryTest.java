// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.slipstream.bench.report.Metric;
import io.slipstream.bench.report.Result;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class IdleSummaryTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final Offset<Double> EXACTLY = within(1e-9);

    @Test
    void shouldSubtractNobodyWithinRounds() {
        List<IdleSample> samples = List.of(
                sample(IdleCase.NOBODY, 0, 20, 5, 0),
                sample(IdleCase.PROXY_RDMA, 0, 30, 40, 2_000),
                sample(IdleCase.NOBODY, 1, 100, 5, 0),
                sample(IdleCase.PROXY_RDMA, 1, 90, 60, 2_000),
                sample(IdleCase.NOBODY, 2, 40, 5, 0),
                sample(IdleCase.PROXY_RDMA, 2, 42, 55, 1_000));

        Result result = IdleSummary.of("idle", 1_000, IdleCase.PROXY_RDMA, samples);

        assertThat(result.figure(Metric.BROKER_ADDED).value()).isCloseTo(0.002, EXACTLY);
        assertThat(result.figure(Metric.BROKER_ADDED).lowest()).isCloseTo(-0.01, EXACTLY);
        assertThat(result.figure(Metric.BROKER_ADDED).highest()).isCloseTo(0.01, EXACTLY);
        assertThat(result.figure(Metric.BROKER_USE).value()).isCloseTo(0.042, EXACTLY);
        assertThat(result.figure(Metric.PROXY_USE).value()).isCloseTo(0.055, EXACTLY);
        assertThat(result.figure(Metric.POLLS).value()).isCloseTo(5_000.0 / 3, EXACTLY);
        assertThat(result.figure(Metric.P99).value()).isCloseTo(1.002, within(0.001));
        assertThat(result.subject().workload()).isEqualTo("IDLE_1000");
        assertThat(IdleSummary.isMeasured(10, IdleCase.PROXY_RDMA, samples)).isFalse();
    }

    private static IdleSample sample(IdleCase idleCase, int round, long brokerMs, long proxyMs, long polls) {
        Histogram one = Measurement.newHistogram();
        one.recordValue(1_000 + round);
        return new IdleSample(
                idleCase == IdleCase.NOBODY ? 0 : 1_000,
                idleCase,
                round,
                SECOND_NS,
                brokerMs * 1_000_000,
                proxyMs * 1_000_000,
                0,
                polls,
                polls,
                one,
                Measurement.newHistogram(),
                Measurement.newHistogram());
    }
}
