// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.rdma.DeviceConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
        assertThat(config.bootstrapServers).extracting(Object::toString).hasSize(2);
        assertThat(config.getString(ProxyKeys.LISTEN_HOST)).isEqualTo("127.0.0.1");
        assertThat(config.brokerPortBase()).isEqualTo(config.getInt(ProxyKeys.LISTEN_PORT) + 1);
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
    void shouldRefuseADirectoryAsBrokersFile() {
        for (String given : new String[] {"/", directory.toString()}) {
            assertThatThrownBy(() -> ProxyConfig.of(Map.of("bootstrap.servers", "a:1", "brokers.file", given)))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("brokers.file")
                    .hasMessageContaining("is a directory");
        }
    }

    @Test
    void shouldIgnoreRetiredKeys() {
        Map<String, String> settings = new java.util.HashMap<>(MINIMAL);
        settings.put("rdma.landing.after.requests", "whatever");
        settings.put("rdma.poll", "often");
        ProxyConfig config = ProxyConfig.of(settings);
        assertThat(config.retiredKeys).containsExactly("rdma.landing.after.requests", "rdma.poll");
        assertThat(config.describe()).isEqualTo(ProxyConfig.of(MINIMAL).describe());
        assertThat(ProxyConfigLoader.load(null, Map.of("SLIPSTREAM_RDMA_LANDING_AFTER_REQUESTS", "0"), MINIMAL)
                        .retiredKeys)
                .isNotEmpty();
    }

    @Test
    void shouldReadWhichDeviceAndWhereControlPortsAre() {
        Map<String, String> settings = new java.util.HashMap<>(MINIMAL);
        assertThat(ProxyConfig.of(settings).rdmaDevice()).isEqualTo(DeviceConfig.DEFAULT);
        assertThat(ProxyConfig.of(settings).rdmaControlPorts(null).of(7)).isEqualTo(9494);
        settings.put("rdma.device", "mlx5_0");
        settings.put("rdma.port", "2");
        settings.put("rdma.gid.index", "3");
        settings.put("rdma.retry.count", "1");
        settings.put("rdma.rnr.retry.count", "0");
        settings.put("rdma.control.port", "0");
        settings.put("rdma.control.ports", "1:9501, 2:9502");
        ProxyConfig config = ProxyConfig.of(settings);
        assertThat(config.rdmaDevice()).isEqualTo(new DeviceConfig("mlx5_0", 2, 3, 1, 0));
        assertThat(config.rdmaControlPorts(null).of(1)).isEqualTo(9501);
        assertThat(config.rdmaControlPorts(null).of(2)).isEqualTo(9502);
        assertThat(config.rdmaControlPorts(null).of(3)).isZero();
    }

    @Test
    void shouldRefuseBadValuesByTheirKeys() {
        List<Map.Entry<String, String>> bad = List.of(
                Map.entry("listen.port", "65536"),
                Map.entry("management.port", "http"),
                Map.entry("rdma.provider", "carrier-pigeon"),
                Map.entry("rdma.enabled", "yes"),
                Map.entry("rdma.retry.count", "7"),
                Map.entry("rdma.rnr.retry.count", "7"),
                Map.entry("rdma.gid.index", "-2"),
                Map.entry("rdma.read.memory.bytes", "3000000"),
                Map.entry("rdma.control.port", "65536"),
                Map.entry("rdma.control.ports", "1:9501,1:9502"),
                Map.entry("rdma.control.ports", "1:99999"),
                Map.entry("rdma.control.ports", "broker1:9501"),
                Map.entry("max.frame.bytes", "-1"),
                Map.entry("drain.timeout.ms", "-5"),
                Map.entry("advertised.host", ""),
                Map.entry("advertised.host", "0.0.0.0"),
                Map.entry("advertised.host", "::"),
                // The port of broker 1 would be that of the management pages.
                Map.entry("broker.port.base", "9090"),
                Map.entry("broker.port.base", "9088"),
                // No port is left above it for brokers.
                Map.entry("listen.port", "65535"),
                Map.entry("slipstream.directory", "\0"),
                Map.entry("bootstrap.servers", "host:99999999999"),
                Map.entry("bootstrap.servers", ":9092"),
                Map.entry("bootstrap.servers", "nowhere"));
        bad.forEach(one -> assertThatThrownBy(() -> {
                    var settings = new java.util.HashMap<>(MINIMAL);
                    settings.put(one.getKey(), one.getValue());
                    ProxyConfig.of(settings);
                })
                .as(one.toString())
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(one.getKey()));
    }

    @Test
    void shouldNotAdvertiseThatItListensEverywhere() {
        for (String any : List.of("0.0.0.0", "::", "[::]", "0:0:0:0:0:0:0:0")) {
            refuses("advertised.host", "listen.host", any);
            assertThat(ProxyConfig.of(Map.of(
                                    "bootstrap.servers", "a:1", "listen.host", any, "advertised.host", "proxy.test"))
                            .advertisedHost())
                    .isEqualTo("proxy.test");
            assertThat(ProxyConfig.of(Map.of("bootstrap.servers", "a:1", "listen.host", any, "advertised.host", "*"))
                            .advertisesOwnAddress())
                    .isTrue();
        }
    }

    @Test
    void shouldRefuseBrokerPortsThatAreItsOwn() {
        refuses("broker.port.base", "listen.port", "9088");
        refuses("broker.port.base", "listen.port", "9092", "broker.port.base", "9087");
        assertThat(ProxyConfig.of(Map.of("bootstrap.servers", "a:1", "listen.port", "9084"))
                        .brokerPortBase())
                .as("only a broker 6 would have the management port")
                .isEqualTo(9085);
    }

    @Test
    void shouldKnowWhatItsSidesSpeak() {
        ProxyConfig plain = ProxyConfig.of(MINIMAL);
        assertThat(plain.brokerTls).isNull();
        assertThat(plain.clientTls).isNull();
        assertThat(plain.brokersAskForSasl()).isFalse();
        ProxyConfig secure = ProxyConfigLoader.load(
                null,
                Map.of("SLIPSTREAM_SSL_TRUSTSTORE_LOCATION", "/trust.jks"),
                Map.of(
                        "bootstrap.servers", "one:9092",
                        "security.protocol", "SASL_SSL",
                        "ssl.truststore.password", "open sesame",
                        "listen.security.protocol", "SASL_SSL",
                        "listen.ssl.keystore.location", "/key.jks",
                        "listen.ssl.truststore.location", "/trust.jks",
                        "listen.ssl.client.auth", "required"));
        assertThat(secure.brokersAskForSasl()).isTrue();
        assertThat(secure.brokerTls)
                .containsEntry("ssl.truststore.location", "/trust.jks")
                .containsEntry("ssl.endpoint.identification.algorithm", "https");
        assertThat(secure.clientTls).containsEntry("ssl.client.auth", "required");
        assertThat(secure.describe())
                .contains("ssl.truststore.password=[hidden]")
                .contains("listen.ssl.client.auth=required")
                .doesNotContain("sesame");
    }

    @Test
    void shouldRefuseTlsThatWouldNotBeWhatItSeems() {
        refuses("listen.ssl.keystore.location", "listen.security.protocol", "SSL");
        refuses("ssl.truststore.location", "ssl.truststore.location", "/trust.jks");
        refuses("security.protocol", "security.protocol", "TLS");
        refuses("listen.security.protocol", "listen.security.protocol", "SASL_PLAINTEXT");
        refuses(
                "listen.ssl.truststore.location",
                "listen.security.protocol",
                "SSL",
                "listen.ssl.keystore.location",
                "/key.jks",
                "listen.ssl.client.auth",
                "required");
        refuses("ssl.enabled.protocols", "security.protocol", "SSL", "ssl.enabled.protocols", "TLSv1.2,,TLSv1.3");
        refuses(
                "listen.ssl.client.auth",
                "listen.security.protocol",
                "SSL",
                "listen.ssl.keystore.location",
                "/key.jks",
                "listen.ssl.client.auth",
                "perhaps");
        refuses("ssl.truststore.locations", "security.protocol", "SSL", "ssl.truststore.locations", "/trust.jks");
        refuses("tls.handshake.timeout.ms", "tls.handshake.timeout.ms", "0");
    }

    private static void refuses(String named, String... keysAndValues) {
        var settings = new java.util.HashMap<>(MINIMAL);
        for (int i = 0; i < keysAndValues.length; i += 2) {
            settings.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        assertThatThrownBy(() -> ProxyConfig.of(settings))
                .as(settings.toString())
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(named);
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
        assertThat(config.getInt(ProxyKeys.LISTEN_PORT)).isEqualTo(3333);
        assertThat(config.getInt(ProxyKeys.MANAGEMENT_PORT)).isEqualTo(5555);
        assertThat(config.directory).isEqualTo(Path.of("/d"));
    }

    @Test
    void shouldTellWhatIsNotTheDefaultAndWhereItWasFound() throws IOException {
        Path file = directory.resolve("proxy.properties");
        Files.writeString(file, "bootstrap.servers=file:1\nlisten.port=1111\ndrain.timeout.ms=10000\n");
        ProxyConfig config = ProxyConfigLoader.load(
                file,
                Map.of("SLIPSTREAM_LOG_FORMAT", "json", "SLIPSTREAM_LOG_LEVEL", "debug"),
                Map.of("rdma.enabled", "false"));
        assertThat(config.changed())
                .containsExactly(
                        "bootstrap.servers=[file:1]  (" + file + ")",
                        "listen.port=1111  (" + file + ")",
                        "log.format=json  (environment)",
                        "log.level=debug  (environment)",
                        "rdma.enabled=false  (--set)");
        assertThat(config.logsJson()).isTrue();
        assertThat(config.logLevel()).isEqualTo("DEBUG");
        refuses("log.level", "log.level", "LOUD");
        refuses("log.format", "log.format", "xml");
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
}
