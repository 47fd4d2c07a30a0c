// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** For each reason not to serve: the plugin logs one line with the reason, and the broker serves. */
@Timeout(120)
class InertBrokerIT {
    private static final String HOOKS_LEFT = "hooks could not be removed";

    @Test
    void shouldStayInertOnAnUnsupportedVersion() throws IOException {
        inert("4.4", Map.of(), List.of("-D" + KafkaVersion.OVERRIDE_PROPERTY + "=5.0.0"), "5.0.0 is not supported");
    }

    @Test
    void shouldStayInertIfHooksDoNotMatch() throws IOException {
        // The adapter of the other line: its hooks name types that do not exist in this broker.
        inert("4.4", Map.of(), List.of("-D" + KafkaVersion.OVERRIDE_PROPERTY + "=4.3.1"), "matches 0 methods");
    }

    @Test
    void shouldNameAnUnknownKey() throws IOException {
        inert("4.3", Map.of("slipstream.rings.bytes", "1"), List.of(), "slipstream.rings.bytes");
    }

    @Test
    @Tag("thorough")
    void shouldNameTheKeyOfABadValue() throws IOException {
        inert("4.4", Map.of("slipstream.ring.bytes", "12345"), List.of(), "slipstream.ring.bytes");
    }

    @Test
    @Tag("thorough")
    void shouldNameADirectoryThatIsNone(@TempDir Path temporary) throws IOException {
        Path file = Files.createFile(temporary.resolve("file"));
        inert("4.4", Map.of("slipstream.directory", file.toString()), List.of(), file + ": is not a directory");
    }

    @Test
    void shouldDoNothingIfSwitchedOff() throws IOException {
        try (StockBroker broker = new StockBroker("4.4", Map.of("slipstream.enabled", "false"), List.of())) {
            serves(broker);
            assertThat(broker.inertLines()).isEmpty();
            assertThat(broker.log()).contains("switched off by slipstream.enabled");
            assertThat(broker.log()).doesNotContain(HOOKS_LEFT);
        }
    }

    private static void inert(String line, Map<String, String> properties, List<String> jvmArguments, String reason)
            throws IOException {
        try (StockBroker broker = new StockBroker(line, properties, jvmArguments)) {
            serves(broker);
            assertThat(broker.inertLines()).singleElement().asString().contains(reason);
            broker.stop();
            assertThat(broker.inertLines()).hasSize(1);
            assertThat(broker.log()).doesNotContain(HOOKS_LEFT);
        }
    }

    private static void serves(StockBroker broker) throws IOException {
        try (BrokerConnection connection = new BrokerConnection(broker.port())) {
            assertThat(connection.apiVersions("raw").data().errorCode()).isZero();
        }
    }
}
