// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** For each reason not to serve: the plugin logs one line with the reason, and the broker serves. */
@Timeout(120)
class InertBrokerIT {
    /** Overrides the version of Kafka that the plugin finds. */
    private static final String VERSION = "-Dslipstream.test.kafka.version=";

    private static final String HOOKS_LEFT = "hooks could not be removed";

    @Test
    void shouldStayInertOnAnUnsupportedVersion() throws IOException {
        inert(settings -> settings.jvmArgument(VERSION + "5.0.0"), "5.0.0 is not supported");
    }

    @Test
    void shouldStayInertIfHooksDoNotMatch() throws IOException {
        // The adapter of the other line: its hooks name types that do not exist in this broker.
        inert(settings -> settings.jvmArgument(VERSION + "4.3.1"), "matches 0 methods");
    }

    @Test
    void shouldNameAnUnknownKey() throws IOException {
        inert(
                BrokerLine.KAFKA_4_3,
                settings -> settings.property("slipstream.rings.bytes", "1"),
                "slipstream.rings.bytes");
    }

    @Test
    @Tag("thorough")
    void shouldNameTheKeyOfABadValue() throws IOException {
        inert(settings -> settings.property("slipstream.ring.bytes", "12345"), "slipstream.ring.bytes");
    }

    @Test
    @Tag("thorough")
    void shouldNameADirectoryThatIsNone(@TempDir Path temporary) throws IOException {
        Path file = Files.createFile(temporary.resolve("file"));
        inert(settings -> settings.property("slipstream.directory", file.toString()), file + ": is not a directory");
    }

    @Test
    void shouldDoNothingIfSwitchedOff() throws IOException {
        try (BrokerProcess broker =
                PluginBroker.start(BrokerProcess.builder(BrokerLine.NEWEST).property("slipstream.enabled", "false"))) {
            serves(broker);
            assertThat(PluginBroker.inertLines(broker)).isEmpty();
            assertThat(PluginBroker.log(broker)).contains("switched off by slipstream.enabled");
            assertThat(PluginBroker.log(broker)).doesNotContain(HOOKS_LEFT);
        }
    }

    private static void inert(UnaryOperator<BrokerProcess.Builder> settings, String reason) throws IOException {
        inert(BrokerLine.NEWEST, settings, reason);
    }

    private static void inert(BrokerLine line, UnaryOperator<BrokerProcess.Builder> settings, String reason)
            throws IOException {
        try (BrokerProcess broker = PluginBroker.start(settings.apply(BrokerProcess.builder(line)))) {
            serves(broker);
            assertThat(PluginBroker.inertLines(broker))
                    .singleElement()
                    .asString()
                    .contains(reason);
            broker.stop();
            assertThat(PluginBroker.inertLines(broker)).hasSize(1);
            assertThat(PluginBroker.log(broker)).doesNotContain(HOOKS_LEFT);
        }
    }

    private static void serves(BrokerProcess broker) throws IOException {
        try (BrokerConnection connection = new BrokerConnection(broker.port())) {
            assertThat(connection.apiVersions("raw").data().errorCode()).isZero();
        }
    }
}
