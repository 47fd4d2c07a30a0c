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

class SummaryTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long MIB = 1 << 20;
    private static final Offset<Double> EXACTLY = within(1e-9);

    @Test
    void shouldSubtractWhatTheBrokerUsesAnyway() {
        List<Sample> samples = List.of(
                scan(Way.DIRECT, 0, 1_000_000_000L, 500, 20, 0),
                scan(Way.PROXY_RDMA, 0, 2_000_000_000L, 40, 20, 600),
                scan(Way.DIRECT, 1, 1_000_000_000L, 300, 20, 0),
                scan(Way.PROXY_RDMA, 1, 2_000_000_000L, 30, 20, 400));

        Result direct = Summary.of("fetch", Workload.SCAN, Way.DIRECT, samples);
        Result rdma = Summary.of("fetch", Workload.SCAN, Way.PROXY_RDMA, samples);

        assertThat(value(direct, Metric.BROKER_PER_GIGABYTE)).isCloseTo(0.38, EXACTLY);
        assertThat(value(direct, Metric.BROKER_SHARE)).isEqualTo(1);
        assertThat(value(rdma, Metric.BROKER_PER_GIGABYTE)).isCloseTo(0.0075, EXACTLY);
        assertThat(value(rdma, Metric.BROKER_SHARE)).isCloseTo(0.0075 / 0.38, EXACTLY);
        assertThat(rdma.figure(Metric.BROKER_SHARE).highest()).isCloseTo(0.01 / 0.48, EXACTLY);
        assertThat(rdma.figure(Metric.BROKER_SHARE).lowest()).isCloseTo(0.005 / 0.28, EXACTLY);
        assertThat(value(rdma, Metric.PROCESSOR_SHARE)).isCloseTo((0.030 + 1.000) / 2 / 0.760, EXACTLY);
        assertThat(rdma.figure(Metric.PROCESSOR_SHARE).lowest()).isCloseTo((0.020 + 0.600) / 2 / 0.480, EXACTLY);
        assertThat(rdma.figure(Metric.PROCESSOR_SHARE).highest()).isCloseTo((0.010 + 0.400) / 2 / 0.280, EXACTLY);
        assertThat(direct.figures()).doesNotContainKey(Metric.PROCESSOR_SHARE);
        assertThat(value(rdma, Metric.BROKER_IDLE)).isCloseTo(0.02, EXACTLY);
        assertThat(value(rdma, Metric.PROXY_PER_GIGABYTE)).isCloseTo(0.25, EXACTLY);
        assertThat(value(rdma, Metric.BANDWIDTH)).isCloseTo(2_000, within(1e-6));
    }

    @Test
    void shouldCompareScansByWholeBatchesNotByAnswers() {
        List<Sample> samples =
                List.of(scan(Way.DIRECT, 0, 1_000 * MIB, 1, 0, 0), scan(Way.PROXY_RDMA, 0, 2_000 * MIB, 1, 0, 1));

        assertThat(value(Summary.of("fetch", Workload.SCAN, Way.PROXY_RDMA, samples), Metric.RATIO))
                .isCloseTo(0.5, EXACTLY);
        assertThat(samples.get(0).costUs()).isCloseTo(1_000, EXACTLY);
    }

    @Test
    void shouldFormRatiosToDirectAndToTheFloorWithinRounds() {
        List<Sample> samples = List.of(
                roundTrip(Way.DIRECT, 0, 100_000, 0),
                roundTrip(Way.PROXY_RDMA, 0, 50_000, 1),
                roundTrip(Way.ECHO, 0, 40_000, 0),
                roundTrip(Way.DIRECT, 1, 1_000_000, 0),
                roundTrip(Way.PROXY_RDMA, 1, 800_000, 1),
                roundTrip(Way.ECHO, 1, 200_000, 0));

        Result rdma = Summary.of("round-trips", Workload.EMPTY_FETCH, Way.PROXY_RDMA, samples);

        assertThat(value(rdma, Metric.RATIO)).isCloseTo(0.65, within(0.01));
        assertThat(rdma.figure(Metric.RATIO).lowest()).isCloseTo(0.5, within(0.01));
        assertThat(rdma.figure(Metric.P99_RATIO).highest()).isCloseTo(0.8, within(0.01));
        assertThat(value(rdma, Metric.FLOOR_RATIO)).isCloseTo(2.625, within(0.01));
        assertThat(value(rdma, Metric.RDMA_SHARE)).isEqualTo(1);
        assertThat(Summary.of("round-trips", Workload.EMPTY_FETCH, Way.ECHO, samples)
                        .figures())
                .doesNotContainKeys(Metric.BROKER_TIME, Metric.PROXY_TIME, Metric.RDMA_SHARE);
    }

    @Test
    void shouldCountBothRequestsOfAnEndToEndOperation() {
        List<Sample> samples = List.of(
                single(Workload.END_TO_END, Way.DIRECT, 0, 100_000, 0),
                single(Workload.END_TO_END, Way.PROXY_RDMA, 0, 100_000, 1));

        Result rdma = Summary.of("end-to-end", Workload.END_TO_END, Way.PROXY_RDMA, samples);

        assertThat(value(rdma, Metric.RDMA_SHARE)).isEqualTo(0.5);
        assertThat(WorkloadSuite.problems(List.of(rdma), List.of(Workload.END_TO_END)))
                .containsExactly("only 50.0 % of the requests of 'end to end 100 B' went by the path of 'proxy, RDMA'");
    }

    private static double value(Result result, Metric metric) {
        return result.figure(metric).value();
    }

    private static Sample scan(Way way, int round, long recordBytes, long brokerMs, long idleMs, long proxyMs) {
        Measurement measurement = new Measurement(1_000, recordBytes, SECOND_NS, Measurement.newHistogram());
        return new Sample(
                Workload.SCAN,
                way,
                round,
                measurement,
                new ProcessUse(brokerMs * 1_000_000, 0, 0),
                new ProcessUse(proxyMs * 1_000_000, 0, 0),
                1_000,
                idleMs * 1_000_000,
                0);
    }

    private static Sample single(Workload workload, Way way, int round, long ns, long byRdma) {
        Histogram one = Measurement.newHistogram();
        one.recordValue(ns);
        Measurement measurement = new Measurement(1, 0, SECOND_NS, one);
        return new Sample(workload, way, round, measurement, ProcessUse.NONE, ProcessUse.NONE, byRdma, 0, 0);
    }

    private static Sample roundTrip(Way way, int round, long ns, long byRdma) {
        return single(Workload.EMPTY_FETCH, way, round, ns, byRdma);
    }
}
