// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.slipstream.bench.report.Metric;
import io.slipstream.bench.report.Result;
import io.slipstream.process.PathCounts;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The outputs are from the tools of Kafka 4.3.1. */
class StockToolTest {
    private static final String PRODUCED = """
            Warmup first 666 records. Steady state results will print after the complete test summary.
            2000 records sent, 1686.340641 records/sec (1.65 MB/sec), 414.96 ms avg latency, 666.00 ms max latency, 377 ms 50th, 621 ms 95th, 627 ms 99th, 629 ms 99.9th.
            1334 steady state records sent, 1908.440629 records/sec (1.86 MB/sec), 486.48 ms avg latency, 629.00 ms max latency, 505 ms 50th, 623 ms 95th, 627 ms 99th, 629 ms 99.9th.
            """;
    private static final String CONSUMED =
            "2026-11-22 21:09:08:426, 2026-11-22 21:09:08:997, 1.9580, 3.4291, 2005, 3511.3835, 408, 163, 12.0123, 12300.6135\n";
    private static final String PASSED_ON = """
            0	95.397638
            1000	0.994924
            Avg latency: 1.8760 ms
            Percentiles: 50th = 1, 99th = 9, 99.9th = 20
            """;

    @Test
    void shouldTakeTheRateOnceTheProducerIsWarm() {
        assertThat(StockTool.PRODUCER_PERF.costUs(PRODUCED, 2_000)).isCloseTo(1e6 / 1908.440629, within(1e-6));
    }

    @Test
    void shouldTakeTheRateWithoutJoiningTheGroup() {
        assertThat(StockTool.CONSUMER_PERF.costUs(CONSUMED, 2_000)).isCloseTo(1e6 / 12300.6135, within(1e-6));
    }

    @Test
    void shouldTakeTheMeanOfEndToEndLatency() {
        assertThat(StockTool.END_TO_END_LATENCY.costUs(PASSED_ON, 2_000)).isCloseTo(1876, within(1e-6));
    }

    @Test
    void shouldTakeTheRateOnceAJobIsWarm() {
        String copied = "2000 records copied after the first 1000, 2500.000 records/s\n";
        assertThat(StockTool.COPIER.costUs(copied, 3_000)).isCloseTo(400, within(1e-6));
        assertThatThrownBy(() -> StockTool.STREAMS.costUs(copied, 4_000)).hasMessageContaining("copied");
    }

    @Test
    void shouldTakeTheFirstSecondOfAJob() {
        assertThat(StockTool.STREAMS.start("4321 records in the first second, started in 812 ms\n"))
                .isEqualTo(Map.of(Metric.FIRST_SECOND, 4321.0, Metric.START, 812.0));
        assertThatThrownBy(() -> StockTool.STREAMS.start("2000 records processed after the first 1000"))
                .hasMessageContaining("processed");
        assertThat(StockTool.COPIER.start("")).isEmpty();
    }

    @Test
    void shouldSeeAPacedJobThatFallsBehindOrCatchesUp() {
        assertThat(paced(Way.DIRECT, 1e6 / 1_910, 1, 0).problem()).isNull();
        assertThat(paced(Way.DIRECT, 1e6 / 1_890, 1, 0).problem())
                .contains("keep up")
                .contains("1890 records/s");
        assertThat(paced(Way.DIRECT, 1e6 / 2_110, 1, 0).problem()).contains("2110 records/s");
        assertThat(StockTool.STREAMS.keptUp(1e6 / 50_000)).isTrue();
    }

    @Test
    void shouldTakeTheProcessorTimeOfEachProcess() {
        String used = "1230 ms of processor time by process 12\n340 ms of processor time by process 123\n";
        assertThat(StockTool.processorsNs(used, 12)).isEqualTo(1_230_000_000L);
        assertThat(StockTool.processorsNs(used, 123)).isEqualTo(340_000_000L);
        assertThatThrownBy(() -> StockTool.processorsNs(used, 1)).hasMessageContaining("process 12");
    }

    @Test
    void shouldRefuseARunThatIsNotComplete() {
        assertThatThrownBy(() -> StockTool.PRODUCER_PERF.costUs(PRODUCED, 3_000))
                .hasMessageContaining("steady state");
        assertThatThrownBy(() -> StockTool.CONSUMER_PERF.costUs(CONSUMED, 2_006))
                .hasMessageContaining("2005");
        assertThatThrownBy(() -> StockTool.CONSUMER_PERF.costUs("WARNING: Exiting before", 1))
                .hasMessageContaining("Exiting");
        assertThatThrownBy(() -> StockTool.END_TO_END_LATENCY.costUs("0\t95.397638\n", 1))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldFormRatiosWithinRounds() {
        List<ToolSample> samples = List.of(
                sample(Way.DIRECT, 0, 10, 2_048_000, PathCounts.NONE),
                sample(Way.PROXY_RDMA, 0, 5, 1_024_000, new PathCounts(900, 0, 100, 0)),
                sample(Way.DIRECT, 1, 100, 2_048_000, PathCounts.NONE),
                sample(Way.PROXY_RDMA, 1, 80, 1_024_000, new PathCounts(1_000, 0, 0, 0)));

        Result rdma = ToolSummary.of("stock-tools", StockTool.PRODUCER_PERF, Way.PROXY_RDMA, samples);

        assertThat(rdma.figure(Metric.RATIO).value()).isCloseTo(0.65, within(1e-9));
        assertThat(rdma.figure(Metric.RATIO).highest()).isCloseTo(0.8, within(1e-9));
        assertThat(rdma.figure(Metric.BROKER_SHARE).value()).isCloseTo(0.5, within(1e-9));
        assertThat(rdma.figure(Metric.BROKER_PER_GIGABYTE).value()).isCloseTo(1, within(1e-9));
        assertThat(rdma.figure(Metric.RATE).highest()).isCloseTo(200_000, within(1e-6));
        assertThat(rdma.figure(Metric.RDMA_SHARE).value()).isCloseTo(0.95, within(1e-9));
    }

    private static ToolSample sample(Way way, int round, double costUs, long brokerNs, PathCounts paths) {
        return new ToolSample(StockTool.PRODUCER_PERF, way, round, 1_000, costUs, Map.of(), brokerNs, brokerNs, paths);
    }

    @Test
    void shouldCompareStartsAndFirstSecondsWithinRounds() {
        List<ToolSample> samples = List.of(
                started(Way.DIRECT, 0, 4_000, 800),
                started(Way.PROXY_RDMA, 0, 5_000, 900),
                started(Way.DIRECT, 1, 3_000, 800),
                started(Way.PROXY_RDMA, 1, 0, 1_000));

        Result rdma = ToolSummary.of("jobs", StockTool.STREAMS, Way.PROXY_RDMA, samples);

        assertThat(rdma.figure(Metric.FIRST_SECOND_RATIO).lowest()).isCloseTo(0.8, within(1e-9));
        assertThat(rdma.figure(Metric.FIRST_SECOND_RATIO).highest()).isCloseTo(3_000, within(1e-9));
        assertThat(rdma.figure(Metric.FIRST_SECOND).value()).isCloseTo(2_500, within(1e-9));
        assertThat(rdma.figure(Metric.START).value()).isCloseTo(950, within(1e-9));
        assertThat(rdma.figure(Metric.START_RATIO).lowest()).isCloseTo(1.125, within(1e-9));
    }

    @Test
    void shouldSeeABacklogThatEndsWithinTheFirstSecond() {
        assertThat(started(Way.DIRECT, 0, 9_999, 800).problem()).isNull();
        assertThat(started(Way.DIRECT, 0, 10_000, 800).problem()).contains("backlog ended");
        assertThat(sample(Way.DIRECT, 0, 1, 1, PathCounts.NONE).problem()).isNull();
    }

    private static ToolSample started(Way way, int round, double firstSecond, double startMs) {
        Map<Metric, Double> start = Map.of(Metric.FIRST_SECOND, firstSecond, Metric.START, startMs);
        return new ToolSample(StockTool.STREAMS, way, round, 10_000, 10, start, 1, 0, PathCounts.NONE);
    }

    @Test
    void shouldCompareAPacedJobByProcessorTimeAlone() {
        List<ToolSample> samples = List.of(paced(Way.DIRECT, 500, 1_000, 0), paced(Way.PROXY_RDMA, 500, 500, 300));

        Result rdma = ToolSummary.of("jobs", StockTool.STREAMS_PACED, Way.PROXY_RDMA, samples);

        assertThat(rdma.figure(Metric.PROCESSOR_SHARE).value()).isCloseTo(0.8, within(1e-9));
        assertThat(rdma.figure(Metric.RATIO)).isNull();
        assertThat(rdma.figure(Metric.FIRST_SECOND_RATIO)).isNull();
    }

    private static ToolSample paced(Way way, double costUs, long brokerNs, long proxyNs) {
        return new ToolSample(
                StockTool.STREAMS_PACED, way, 0, 1_000, costUs, Map.of(), brokerNs, proxyNs, PathCounts.NONE);
    }
}
