// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.slipstream.harness.Alteration;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The plugin starts, is switched and stops with a stock broker. */
@Timeout(120)
class BrokerLifeIT {
    @ParameterizedTest
    @MethodSource("io.slipstream.it.Thorough#drawnLines")
    void shouldServeUntilTheLeadershipsHaveMoved(BrokerLine line) throws IOException {
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

    /** What {@code kafka-configs --alter} does. */
    @ParameterizedTest
    @MethodSource("io.slipstream.it.Thorough#drawnLines")
    void shouldFollowItsKeysWhileTheBrokerRuns(BrokerLine line) throws Exception {
        try (BrokerProcess broker =
                        PluginBroker.start(BrokerProcess.builder(line).property("slipstream.enabled", "false"));
                Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            Alteration.ofBroker(admin, "1", "slipstream.enabled", "true");
            awaitLink(broker, true);
            // The cluster's default for all brokers.
            Alteration.ofBroker(admin, "", "slipstream.enabled", "false");
            Alteration.ofBroker(admin, "1", "slipstream.enabled", null);
            awaitLink(broker, false);
            await().atMost(Duration.ofSeconds(30))
                    .until(() ->
                            PluginBroker.threads(broker).stream().noneMatch(name -> name.startsWith("slipstream-")));
            Alteration.ofBroker(admin, "", "slipstream.enabled", "true");
            awaitLink(broker, true);

            assertThatThrownBy(() -> Alteration.ofBroker(admin, "1", "slipstream.listeners.excluded", "CLIENT"))
                    .hasMessageContaining("the broker has no listener CLIENT");
            assertThat(PluginBroker.inertLines(broker)).isEmpty();
            assertThat(PluginBroker.log(broker)).doesNotContain("hooks could not be removed");
            broker.stop();
            assertThat(PluginBroker.log(broker)).contains("Slipstream stopped");
        }
    }

    private static void awaitLink(BrokerProcess broker, boolean offered) {
        await().atMost(Duration.ofSeconds(30)).until(() -> Files.exists(broker.pluginSocket()) == offered);
    }
}
