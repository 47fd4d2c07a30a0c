// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.bench.gate.Comparison;
import io.slipstream.bench.gate.Comparison.Verdict;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class GateTest {
    private static final long SECOND_NS = 1_000_000_000L;

    @Test
    void shouldCompareTimeAndProcessorTimeOfEachPair() {
        List<Sample[]> pairs = new ArrayList<>();
        for (int round = 0; round < Gate.ROUNDS; round++) {
            // The machine gets slower from round to round, for both sides.
            long us = 50L + 10L * round;
            pairs.add(new Sample[] {sample(us, 1_000, 30_000, 1_000), sample(2 * us, 1_000, 30_000, 1_000)});
        }

        List<Comparison> comparisons = Gate.compare(Workload.PRODUCE, pairs);

        assertThat(comparisons).extracting(Comparison::verdict).containsExactly(Verdict.SLOWER, Verdict.NOT_SLOWER);
        assertThat(comparisons)
                .extracting(Comparison::figure)
                .containsExactly("produce 100 B, acks=1, p50 us", "produce 100 B, acks=1, CPU us");
        assertThat(comparisons.get(1).parent()).isEqualTo(60);
    }

    @Test
    void shouldRefuseWhatDidNotGoByRdma() {
        Sample fine = sample(50, 1_000, 30_000, 1_000);
        Sample byTcp = sample(50, 1_000, 30_000, 900);

        assertThatThrownBy(() -> Gate.compare(Workload.PRODUCE, List.<Sample[]>of(new Sample[] {fine, byTcp})))
                .hasMessage("only 90.0 % of the requests of 'produce 100 B, acks=1' of the commit went by RDMA");
    }

    /** Broker and proxy use half of the processor time each twice. */
    private static Sample sample(long roundTripUs, long operations, long cpuUs, long byRdma) {
        Histogram latencies = Measurement.newHistogram();
        latencies.recordValue(roundTripUs * 1_000);
        return new Sample(
                Workload.PRODUCE,
                Way.PROXY_RDMA,
                0,
                new Measurement(operations, 0, SECOND_NS, latencies),
                new ProcessUse(cpuUs * 1_000, 0, 0),
                new ProcessUse(cpuUs * 1_000, 0, 0),
                byRdma,
                0,
                0);
    }
}
