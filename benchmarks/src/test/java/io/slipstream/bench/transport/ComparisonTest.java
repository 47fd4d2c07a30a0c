// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonTest {
    @Test
    void shouldFormRatiosWithinRounds() {
        Comparison comparison = new Comparison(
                Experiment.READ_64,
                List.of(new Latency(10, 20), new Latency(300, 400), new Latency(12, 30)),
                List.of(new Latency(10, 30), new Latency(200, 900), new Latency(10, 10)));

        assertThat(comparison.ratios()).containsExactly(1.0, 1.5, 1.2);
    }

    @Test
    void shouldMeasureIntervalsBetweenBeginnings() {
        long[] startsNs = new long[102];
        for (int i = 0; i < 101; i++) {
            startsNs[i + 1] = startsNs[i] + 1_000L * (i + 1);
        }

        assertThat(Latency.between(startsNs, 1)).isEqualTo(new Latency(51, 100));
        assertThat(Latency.between(startsNs, 2)).isEqualTo(new Latency(25.5, 50));
    }

    @Test
    void shouldReadWhichProcessorsAreAllowed() {
        assertThat(Processor.allowed(List.of("Name:\tjava", "Cpus_allowed_list:\t1-2,5")))
                .containsExactly(new Processor(1), new Processor(2), new Processor(5));
    }
}
