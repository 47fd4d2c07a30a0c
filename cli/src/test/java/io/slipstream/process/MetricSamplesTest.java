// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class MetricSamplesTest {
    private static final String PAGE = """
            # HELP slipstream_records_total Records.
            # TYPE slipstream_records_total counter
            slipstream_records_total{api="FETCH",path="rdma"} 41.0
            slipstream_records_total{api="FETCH",path="tcp"} 1.0
            slipstream_records_total{api="PRODUCE",path="rdma"} 7.0

            slipstream_links_up 2.0
            odd{label="a \\"quoted\\" } brace"} +Inf 1700000000
            """;

    private final MetricSamples samples = MetricSamples.parse(PAGE);

    @Test
    void shouldSumOverTheLabelsThatAreNotGiven() {
        assertThat(samples.count("slipstream_records_total", "api", "FETCH")).isEqualTo(42);
        assertThat(samples.count("slipstream_records_total", "api", "FETCH", "path", "rdma"))
                .isEqualTo(41);
        assertThat(samples.count("slipstream_links_up")).isEqualTo(2);
    }

    @Test
    void shouldTakeAMissingSeriesForZero() {
        assertThat(samples.count("slipstream_records_total", "api", "METADATA")).isZero();
        assertThat(samples.has("missing")).isFalse();
    }

    @Test
    void shouldReadQuotesInLabelsAndInfinity() {
        assertThat(samples.sum("odd")).isInfinite();
        assertThat(samples.all()).anyMatch(sample -> sample.labels().containsValue("a \\\"quoted\\\" } brace"));
    }

    @Test
    void shouldRefuseWhatIsNoSample() {
        assertThatThrownBy(() -> MetricSamples.parse("<html>")).hasMessageContaining("<html>");
    }
}
