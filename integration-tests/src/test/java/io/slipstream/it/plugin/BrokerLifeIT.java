// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
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
            alter(admin, "1", AlterConfigOp.OpType.SET, "slipstream.enabled", "true");
            awaitLink(broker, true);
            // The cluster's default for all brokers.
            alter(admin, "", AlterConfigOp.OpType.SET, "slipstream.enabled", "false");
            alter(admin, "1", AlterConfigOp.OpType.DELETE, "slipstream.enabled", null);
            awaitLink(broker, false);
            await().atMost(Duration.ofSeconds(30))
                    .until(() ->
                            PluginBroker.threads(broker).stream().noneMatch(name -> name.startsWith("slipstream-")));
            alter(admin, "", AlterConfigOp.OpType.SET, "slipstream.enabled", "true");
            awaitLink(broker, true);

            assertThatThrownBy(() ->
                            alter(admin, "1", AlterConfigOp.OpType.SET, "slipstream.listeners.excluded", "CLIENT"))
                    .hasMessageContaining("the broker has no listener CLIENT");
            assertThat(PluginBroker.inertLines(broker)).isEmpty();
            assertThat(PluginBroker.log(broker)).doesNotContain("hooks could not be removed");
            broker.stop();
            assertThat(PluginBroker.log(broker)).contains("Slipstream stopped");
        }
    }

    private static void alter(Admin admin, String broker, AlterConfigOp.OpType type, String key, String value)
            throws Exception {
        admin.incrementalAlterConfigs(Map.of(
                        new ConfigResource(ConfigResource.Type.BROKER, broker),
                        List.of(new AlterConfigOp(new ConfigEntry(key, value), type))))
                .all()
                .get(30, TimeUnit.SECONDS);
    }

    private static void awaitLink(BrokerProcess broker, boolean offered) {
        await().atMost(Duration.ofSeconds(30)).until(() -> Files.exists(broker.pluginSocket()) == offered);
    }
}
