// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.slipstream.bench.report.Metric;
import io.slipstream.bench.report.Result;
import java.util.EnumSet;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LoadSummaryTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final double LIMIT_MS = 5;

    @Test
    void shouldFindTheHighestLoadWithinTheLimitInEachRound() {
        List<LoadSample> samples = List.of(
                sample(Way.DIRECT, 0, 1_000, 1_000, 1),
                sample(Way.DIRECT, 0, 2_000, 2_000, 4.9),
                sample(Way.DIRECT, 0, 4_000, 4_000, 5.1),
                sample(Way.DIRECT, 1, 1_000, 1_000, 6));

        assertThat(LoadSummary.highest(Way.DIRECT, LIMIT_MS, samples)).containsExactly(2_000, 0);
        assertThat(LoadSummary.highest(Way.PROXY_RDMA, LIMIT_MS, samples)).containsExactly(0, 0);
    }

    @Test
    void shouldNotTakeALoadForCarriedThatWasNotAnswered() {
        List<LoadSample> samples =
                List.of(sample(Way.DIRECT, 0, 1_000, 960, 1), sample(Way.DIRECT, 0, 2_000, 1_890, 1));

        assertThat(LoadSummary.highest(Way.DIRECT, LIMIT_MS, samples)).containsExactly(960);
    }

    @Test
    void shouldCompareTheHighestLoadsAndEachLoad() {
        List<LoadSample> samples = List.of(
                sample(Way.DIRECT, 0, 1_000, 1_000, 2),
                sample(Way.PROXY_RDMA, 0, 1_000, 1_000, 1),
                sample(Way.PROXY_RDMA, 0, 4_000, 4_000, 3));

        List<Result> results = LoadSummary.all("load-sweep", EnumSet.of(Way.DIRECT, Way.PROXY_RDMA), LIMIT_MS, samples);

        Result rdma = find(results, LoadSummary.LIMIT, Way.PROXY_RDMA);
        assertThat(rdma.figure(Metric.LOAD_WITHIN).value()).isEqualTo(4_000);
        assertThat(rdma.figure(Metric.RATIO).value()).isEqualTo(0.25);
        assertThat(find(results, "LOAD_1000", Way.PROXY_RDMA)
                        .figure(Metric.P99_RATIO)
                        .value())
                .isCloseTo(0.5, within(0.01));
        assertThat(find(results, "LOAD_4000", Way.PROXY_RDMA).figures()).doesNotContainKey(Metric.RATIO);
        assertThat(results).hasSize(5);
    }

    private static Result find(List<Result> results, String workload, Way way) {
        return results.stream()
                .filter(result -> result.subject().workload().equals(workload)
                        && result.side().equals(way.side()))
                .findAny()
                .orElseThrow();
    }

    private static LoadSample sample(Way way, int round, int offered, long answered, double p99Ms) {
        Histogram latencies = Measurement.newHistogram();
        latencies.recordValue((long) (p99Ms * 1e6));
        return new LoadSample(
                way,
                offered,
                round,
                answered,
                SECOND_NS,
                latencies,
                ProcessUse.NONE,
                ProcessUse.NONE,
                way.isRdma() ? answered : 0,
                answered);
    }
}
