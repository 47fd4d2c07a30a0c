// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.link.meter.Meter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The brokers that a proxy knows: kept in a file across restarts, and forgotten when they left the cluster. */
@Timeout(60)
class KnownBrokersTest extends SidecarFixture {
    @TempDir
    private Path directory;

    private Path file;

    @BeforeEach
    void twoBrokers() {
        file = directory.resolve("brokers");
        broker.nameItself(List.of(1, 2));
    }

    private void restart(Map<String, String> settings) throws InterruptedException {
        sidecar.close();
        Map<String, String> all = new TreeMap<>(Map.of("brokers.file", file.toString()));
        all.putAll(settings);
        sidecar = start(all);
    }

    private Map<String, String> bootstrap(String servers) {
        return Map.of("bootstrap.servers", servers);
    }

    private String keptText() throws Exception {
        return Files.exists(file) ? Files.readString(file) : "";
    }

    @Test
    void shouldOpenThePortsOfBeforeAlthoughNoBrokerAnswers() throws Exception {
        restart(Map.of());
        Awaitility.await().until(() -> keptText().contains("broker.2="));
        String servers = "127.0.0.1:" + broker.port();
        broker.close();

        restart(bootstrap(servers));

        assertThat(sidecar.meters().value(Meter.BROKERS)).isEqualTo(2);
        assertThat(sidecar.meters().value(Meter.LISTENERS)).isEqualTo(3);
        Awaitility.await()
                .untilAsserted(() -> assertThat(directory.toFile().list())
                        .as("no file is left half written")
                        .containsExactly("brokers"));
    }

    @Test
    void shouldForgetInTheFileWhatLeftTheCluster() throws Exception {
        restart(Map.of("broker.expiry.ms", "300"));
        Awaitility.await().until(() -> keptText().contains("broker.2="));
        broker.nameItself(List.of(1));
        Awaitility.await().until(() -> !keptText().contains("broker.2="));
        assertThat(keptText()).contains("broker.1=", "cluster.id=");
    }

    @Test
    void shouldIgnoreAFileOfOtherBootstrapServersOrWithoutSense() throws Exception {
        restart(Map.of());
        Awaitility.await().until(() -> keptText().contains("broker.2="));
        sidecar.close();
        String kept = keptText();
        String servers = "127.0.0.1:" + broker.port();
        broker.close();
        for (String text : List.of(kept, kept.replaceFirst("broker.2=.*", "broker.2=nowhere"), "\\u00")) {
            Files.writeString(file, text);
            restart(bootstrap(text.equals(kept) ? "127.0.0.1:1" : servers));
            assertThat(sidecar.meters().value(Meter.LISTENERS)).as(text).isOne();
            sidecar.close();
        }
    }

    @Test
    void shouldRefuseAFileWithoutADirectory() {
        assertThatThrownBy(() -> start(
                        Map.of("brokers.file", directory.resolve("none/brokers").toString())))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("brokers.file");
    }

    /** Lists of brokers come in responses to clients only. */
    @Test
    void shouldForgetABrokerOfAClusterThatAsksForSasl() throws Exception {
        restart(Map.of("security.protocol", "SASL_PLAINTEXT", "broker.expiry.ms", "300"));
        SidecarTest.brokers(sidecar.bootstrapAddress());
        assertThat(sidecar.meters().value(Meter.BROKERS)).isEqualTo(2);
        broker.nameItself(List.of(1));
        Awaitility.await().until(() -> {
            SidecarTest.brokers(sidecar.bootstrapAddress());
            return sidecar.meters().value(Meter.BROKERS) == 1;
        });
    }
}
