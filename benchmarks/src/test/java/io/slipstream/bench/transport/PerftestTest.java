// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.process.StartFailure;
import org.junit.jupiter.api.Test;

class PerftestTest {
    private static final String HEADER = """
             #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]\s
            """;

    @Test
    void shouldTakeTypicalAndPercentileFromWhatPerftestPrints() {
        String output = " Mtu             : 1024[B]\n" + HEADER
                + " 64      1000          41.48          4030.82      48.00    \t       82.75       \t320.81 \t\t488.41  \t\t4030.82\n";

        assertThat(Perftest.parse(output)).isEqualTo(new Latency(48.00, 488.41));
    }

    /** Observed after one very slow operation. */
    @Test
    void shouldNotMindADeviationThatIsNotANumber() {
        String output = HEADER
                + " 8       1000          19.62          182473.18      41.14    \t       1866.82     \t-nan   \t\t43256.00 \t\t182473.18\n";

        assertThat(Perftest.parse(output)).isEqualTo(new Latency(41.14, 43256.00));
    }

    @Test
    void shouldShowWhatPerftestSaidInsteadOfAResult() {
        assertThatThrownBy(() -> Perftest.parse("Unable to init the socket connection\n"))
                .isInstanceOf(StartFailure.class)
                .hasMessageContaining("Unable to init the socket connection");
    }
}
