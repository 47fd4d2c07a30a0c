// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.meter;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.metrics.MeterRegistry;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class MeterTest {
    @Test
    void shouldNameEveryMeterOnceAndByConvention() {
        assertThat(Arrays.stream(Meter.values()).map(Meter::id)).doesNotHaveDuplicates();
        for (Meter meter : Meter.values()) {
            assertThat(meter.id()).matches("slipstream_[a-z_]+");
            assertThat(meter.id().endsWith("_total")).as(meter.id()).isEqualTo(meter.kind() == Meter.Kind.COUNTER);
            assertThat(meter.id().endsWith("_seconds")).as(meter.id()).isEqualTo(meter.kind() == Meter.Kind.LATENCY);
            assertThat(meter.doc()).endsWith(".");
        }
    }

    @Test
    void shouldShowWhatIsKnownBeforehandFromTheStart() {
        MeterRegistry registry = new MeterRegistry(Meter.values());
        String page = registry.scrape();
        registry.close();
        for (Meter meter : Meter.values()) {
            boolean isShown = page.contains("# TYPE " + meter.id() + " ");
            assertThat(isShown).as(meter.id()).isEqualTo(meter.isClosed());
        }
        assertThat(page)
                .contains("slipstream_links_up 0.0")
                .contains("slipstream_fallbacks_total{reason=\"not_readable\"} 0.0")
                .contains("slipstream_grants_refused_total{kind=\"read\",reason=\"limit\"} 0.0")
                .contains("slipstream_transport_errors_total{status=\"loc_len_err\"} 0.0")
                .contains("slipstream_transport_latency_seconds_count{operation=\"write\"} 0")
                .doesNotContain("reason=\"none\"", "status=\"success\"");
    }
}
