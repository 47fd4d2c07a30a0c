// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.slipstream.bench.report.Metric;
import io.slipstream.bench.report.Plot;
import io.slipstream.bench.report.Result;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventSummaryTest {
    private static final int WARMUP = 100;
    private static final int EVENTS = 1_100;

    @Test
    void shouldTakeTheSmallestValueThatSoManyDoNotExceed() {
        long[] hundred = new long[100];
        Arrays.setAll(hundred, i -> (100 - i) * 1_000L);

        assertThat(EventSample.percentileUs(hundred, 50)).isEqualTo(50);
        assertThat(EventSample.percentileUs(hundred, 99)).isEqualTo(99);
        assertThat(EventSample.percentileUs(new long[] {7_000}, 1)).isEqualTo(7);
    }

    @Test
    void shouldLeaveTheWarmUpOutAndFormRatiosWithinRounds() {
        List<EventSample> samples = List.of(
                sample(Way.DIRECT, 0, 100), sample(Way.PROXY_RDMA, 0, 50),
                sample(Way.DIRECT, 1, 200), sample(Way.PROXY_RDMA, 1, 180));

        Result rdma = EventSummary.of("event-stream", EventStream.EVENTS_CONSTANT, Way.PROXY_RDMA, samples);

        assertThat(rdma.figure(Metric.P99).value()).isEqualTo(180);
        assertThat(rdma.figure(Metric.RATIO).lowest()).isCloseTo(0.5, within(1e-9));
        assertThat(rdma.figure(Metric.RATIO).highest()).isCloseTo(0.9, within(1e-9));
        assertThat(rdma.figure(Metric.RDMA_SHARE).value()).isCloseTo(0.75, within(1e-9));
    }

    @Test
    void shouldShowTheLargestDelayInEachSlot() {
        EventSample sample = sample(Way.DIRECT, 0, 100);
        sample.delaysNs()[WARMUP + 70] = 9_000_000;

        Plot plot = EventSummary.overTime(EventStream.EVENTS_CONSTANT, EnumSet.of(Way.DIRECT), List.of(sample));

        List<Double> largest = plot.lines().get(0).y();
        assertThat(plot.lines().get(0).x()).hasSize(20).startsWith(0.0, 0.05);
        assertThat(largest).startsWith(100.0, 9_000.0, 100.0);
        assertThat(largest.subList(2, 20)).containsOnly(100.0);
    }

    private static EventSample sample(Way way, int round, long delayUs) {
        long[] delaysNs = new long[EVENTS];
        Arrays.fill(delaysNs, delayUs * 1_000);
        Arrays.fill(delaysNs, 0, WARMUP, Long.MAX_VALUE);
        return new EventSample(
                EventStream.EVENTS_CONSTANT, way, round, delaysNs, WARMUP, ProcessUse.NONE, ProcessUse.NONE, 3, 4);
    }
}
