// SPDX-License-Identifier: Apache-2.0
package io.slipstream.reference;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.broker.metrics.PluginMeter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class MeterPageTest {
    @Test
    void shouldSayWhatTheCodeSays() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "metrics.md"));
        assertThat(page)
                .as("rewrite with: java -cp testing/target/classes:… io.slipstream.reference.MeterPage docs/metrics.md")
                .isEqualTo(MeterPage.withTables(page));
    }

    @Test
    void shouldNameThePluginsMetersOnceAndByConvention() {
        assertThat(Arrays.stream(PluginMeter.values()).map(PluginMeter::id)).doesNotHaveDuplicates();
        assertThat(Arrays.stream(PluginMeter.values()).map(PluginMeter::jmxName))
                .doesNotHaveDuplicates();
        for (PluginMeter meter : PluginMeter.values()) {
            assertThat(meter.id()).matches("slipstream_plugin_[a-z_]+");
            assertThat(meter.doc()).endsWith(".");
        }
    }
}
