package io.slipstream.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.slipstream.bench.IdleSummary.Spread;
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

        IdleSummary summary = IdleSummary.of(IdleCase.PROXY_RDMA, samples);

        assertThat(summary.brokerAdded().median()).isCloseTo(0.002, EXACTLY);
        assertThat(summary.brokerAdded().lowest()).isCloseTo(-0.01, EXACTLY);
        assertThat(summary.brokerAdded().highest()).isCloseTo(0.01, EXACTLY);
        assertThat(summary.brokerAdded().reachesZero()).isTrue();
        assertThat(summary.broker().median()).isCloseTo(0.042, EXACTLY);
        assertThat(summary.proxy().median()).isCloseTo(0.055, EXACTLY);
        assertThat(summary.pollsPerSecond()).isCloseTo(5_000.0 / 3, EXACTLY);
        assertThat(summary.wakeUps().getTotalCount()).isEqualTo(3);
    }

    @Test
    void shouldTellADifferenceThatEveryRoundShows() {
        assertThat(Spread.of(new double[] {0.3, 0.1, 0.2}).reachesZero()).isFalse();
        assertThat(Spread.of(new double[] {0.4, 0.1, 0.2, 0.3}).median()).isCloseTo(0.25, EXACTLY);
    }

    private static IdleSample sample(IdleCase idleCase, int round, long brokerMs, long proxyMs, long polls) {
        Histogram one = Measurement.newHistogram();
        one.recordValue(1_000 + round);
        return new IdleSample(
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
