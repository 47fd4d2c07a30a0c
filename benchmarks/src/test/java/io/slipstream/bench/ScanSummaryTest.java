package io.slipstream.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class ScanSummaryTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long MIB = 1 << 20;

    @Test
    void shouldSubtractWhatTheBrokerUsesAnyway() {
        List<Sample> samples = List.of(
                sample(Way.DIRECT, 0, 1_000_000_000L, 500, 20, 0),
                sample(Way.PROXY_RDMA, 0, 2_000_000_000L, 40, 20, 600),
                sample(Way.DIRECT, 1, 1_000_000_000L, 300, 20, 0),
                sample(Way.PROXY_RDMA, 1, 2_000_000_000L, 30, 20, 400));

        ScanSummary direct = ScanSummary.of(Workload.SCAN, Way.DIRECT, samples);
        ScanSummary rdma = ScanSummary.of(Workload.SCAN, Way.PROXY_RDMA, samples);

        assertThat(direct.brokerSecondsPerGigabyte()).isCloseTo(0.38, within(1e-9));
        assertThat(direct.brokerShare()).isEqualTo(1);
        assertThat(rdma.brokerSecondsPerGigabyte()).isCloseTo(0.0075, within(1e-9));
        assertThat(rdma.brokerShare()).isCloseTo(0.0075 / 0.38, within(1e-9));
        assertThat(rdma.brokerShareHighest()).isCloseTo(0.01 / 0.48, within(1e-9));
        assertThat(rdma.brokerShareLowest()).isCloseTo(0.005 / 0.28, within(1e-9));
        assertThat(rdma.brokerIdle()).isCloseTo(0.02, within(1e-9));
        assertThat(rdma.proxySecondsPerGigabyte()).isCloseTo(0.25, within(1e-9));
        assertThat(rdma.megabytesPerSecond()).isCloseTo(2_000, within(1e-6));
    }

    @Test
    void shouldCompareScansByWholeBatchesNotByAnswers() {
        List<Sample> samples =
                List.of(sample(Way.DIRECT, 0, 1_000 * MIB, 1, 0, 0), sample(Way.PROXY_RDMA, 0, 2_000 * MIB, 1, 0, 1));

        assertThat(Summary.of(Workload.SCAN, Way.PROXY_RDMA, samples).ratio()).isCloseTo(0.5, within(1e-9));
        assertThat(samples.get(0).costUs()).isCloseTo(1_000, within(1e-9));
    }

    @Test
    void shouldTellHowFarTheExtremesCanBeTrusted() {
        assertThat(Report.confidence(1)).isZero();
        assertThat(Report.confidence(6)).isCloseTo(0.96875, within(1e-9));
    }

    private static Sample sample(Way way, int round, long recordBytes, long brokerMs, long idleMs, long proxyMs) {
        Measurement measurement = new Measurement(1_000, recordBytes, SECOND_NS, Measurement.newHistogram());
        return new Sample(
                Workload.SCAN,
                way,
                round,
                measurement,
                new ProcessUse(brokerMs * 1_000_000, 0),
                new ProcessUse(proxyMs * 1_000_000, 0),
                1_000,
                idleMs * 1_000_000,
                0);
    }
}
