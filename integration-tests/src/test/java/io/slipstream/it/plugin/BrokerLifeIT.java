// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The plugin starts, is switched and stops with a stock broker. */
@Timeout(120)
class BrokerLifeIT {
    @ParameterizedTest
    @EnumSource(BrokerLine.class)
    void shouldServeUntilTheLeadershipsHaveMoved(BrokerLine line) {
        try (BrokerProcess broker = PluginBroker.start(BrokerProcess.builder(line))) {
            broker.stop();

            assertThat(PluginBroker.log(broker))
                    .containsSubsequence(
                            "Slipstream serves broker",
                            "asked us to exit controlled shutdown",
                            "Slipstream stopped",
                            "[BrokerServer id=1] shut down completed");
        }
    }
}
