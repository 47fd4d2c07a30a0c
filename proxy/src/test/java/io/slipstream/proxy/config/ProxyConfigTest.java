package io.slipstream.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProxyConfigTest {
    private static final Map<String, String> MINIMAL = Map.of("bootstrap.servers", "one:9092,two:9093");

    @TempDir
    private Path directory;

    @Test
    void shouldNeedBootstrapServersOnly() {
        ProxyConfig config = ProxyConfig.of(MINIMAL);
        assertThat(config.bootstrapServers()).extracting(Object::toString).hasSize(2);
        assertThat(config.listenHost()).isEqualTo("127.0.0.1");
        assertThat(config.brokerPortBase()).isEqualTo(config.listenPort() + 1);
        assertThat(config.advertisedHost()).isEqualTo("127.0.0.1");
        assertThatThrownBy(() -> ProxyConfig.of(Map.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("bootstrap.servers");
    }

    @Test
    void shouldServeBrokersOnFreePortsIfTheBootstrapPortIsFree() {
        assertThat(ProxyConfig.of(Map.of("bootstrap.servers", "a:1", "listen.port", "0"))
                        .brokerPortBase())
                .isZero();
    }

    @Test
    void shouldRefuseUnknownKeysAndNameNearOnes() {
        assertThatThrownBy(() -> ProxyConfig.of(Map.of("bootstrap.servers", "a:1", "listen.prot", "1")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("listen.prot")
                .hasMessageContaining("did you mean listen.port");
        assertThatThrownBy(() -> ProxyConfig.of(Map.of("bootstrap.server", "a:1")))
                .hasMessageContaining("bootstrap.servers");
        assertThatThrownBy(() -> ProxyConfig.of(Map.of("qqqqqqqqqqqqqqq", "a:1")))
                .hasMessageContaining("qqqqqqqqqqqqqqq")
                .hasMessageNotContaining("did you mean");
    }

    @Test
    void shouldRefuseBadValuesByTheirKeys() {
        Map<String, String> bad = Map.of(
                "listen.port", "65536",
                "management.port", "http",
                "rdma.provider", "carrier-pigeon",
                "rdma.enabled", "yes",
                "max.frame.bytes", "-1",
                "drain.timeout.ms", "-5",
                "bootstrap.servers", "nowhere");
        bad.forEach((key, value) -> assertThatThrownBy(() -> {
                    var settings = new java.util.HashMap<>(MINIMAL);
                    settings.put(key, value);
                    ProxyConfig.of(settings);
                })
                .as(key)
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(key));
    }

    @Test
    void shouldLetTheEnvironmentWinOverTheFileAndTheCommandLineOverBoth() throws IOException {
        Path file = directory.resolve("proxy.properties");
        Files.writeString(file, "bootstrap.servers=file:1\nlisten.port=1111\nmanagement.port = 2222 \n");
        ProxyConfig config = ProxyConfigLoader.load(
                file,
                Map.of(
                        "SLIPSTREAM_LISTEN_PORT",
                        "3333",
                        "SLIPSTREAM_MANAGEMENT_PORT",
                        "4444",
                        "SLIPSTREAM_DIRECTORY",
                        "/d",
                        "PATH",
                        "/bin"),
                Map.of("management.port", "5555"));
        assertThat(config.listenPort()).isEqualTo(3333);
        assertThat(config.managementPort()).isEqualTo(5555);
        assertThat(config.directory()).isEqualTo(Path.of("/d"));
    }

    @Test
    void shouldRefuseUnknownVariablesAndMissingFiles() {
        assertThatThrownBy(() -> ProxyConfigLoader.load(null, Map.of("SLIPSTREAM_LISTEN_PROT", "1"), MINIMAL))
                .hasMessageContaining("SLIPSTREAM_LISTEN_PROT")
                .hasMessageContaining("SLIPSTREAM_LISTEN_PORT");
        assertThatThrownBy(() -> ProxyConfigLoader.load(directory.resolve("absent"), Map.of(), MINIMAL))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("absent");
    }

    @Test
    void shouldBeDocumentedAsItIs() throws IOException {
        Path operations = Path.of("..", "docs", "operations.md");
        assertThat(Files.readString(operations))
                .as(
                        "regenerate with: java -cp proxy/target/slipstream-proxy.jar io.slipstream.proxy.config.ConfigReference")
                .contains(ConfigReference.markdown());
    }
}
