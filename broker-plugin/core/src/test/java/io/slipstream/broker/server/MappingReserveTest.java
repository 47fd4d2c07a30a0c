// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The kernel's limit of mappings, as another program reads it. */
@Timeout(60)
class MappingReserveTest {
    @Test
    void shouldKeepHalfOfTheMappingsForTheBroker() throws Exception {
        Process cat = new ProcessBuilder("cat", "/proc/sys/vm/max_map_count").start();
        String limit = new String(cat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();

        assertThat(PluginServer.mostRegions(DeviceChoice.VERBS)).isEqualTo(Integer.parseInt(limit) / 2);
    }
}
