// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.rdma.DeviceConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;

class PluginConfigTest {
    @Test
    void shouldReadItsKeysAmongTheBrokersOwn() {
        PluginConfig config = PluginConfig.of(Map.of("node.id", "1", "slipstream.ring.bytes", "131072"));

        assertThat(config.ringBytes()).isEqualTo(131072);
        assertThat(config.enabled()).isTrue();
        assertThat(config.directory()).hasToString("/tmp/slipstream");
    }

    @Test
    void shouldNameAnUnknownKey() {
        assertThatThrownBy(() -> PluginConfig.of(Map.of("slipstream.rings.bytes", "1")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("slipstream.rings.bytes")
                .hasMessageContaining("slipstream.ring.bytes");
    }

    /** The keys of the previous release cause a warning and have no other effect. */
    @Test
    void shouldIgnoreRetiredKeysAndNoOthers() {
        Map<String, String> retired = Map.of(
                "slipstream.untrusted.listeners", "NO_SUCH_LISTENER",
                "slipstream.registered.bytes.per.principal", "-1",
                "slipstream.landing", "segment",
                "slipstream.landing.window.bytes", "no number",
                "slipstream.landing.partitions", "-1",
                "slipstream.landing.release.ms", "100",
                "slipstream.poll", "sometimes");

        assertThat(PluginConfig.of(retired)).isEqualTo(PluginConfig.of(Map.of()));
        assertThat(RetiredKeys.SENTENCES).containsOnlyKeys(retired.keySet());
        for (String key : retired.keySet()) {
            assertThat(RetiredKeys.SENTENCES.get(key)).contains("retired");
            assertThat(PluginKeys.DEFINITION.names()).doesNotContain(key);
        }
        for (String typo :
                new String[] {"slipstream.landing.windows.bytes", "slipstream.landings", "slipstream.land"}) {
            assertThatThrownBy(() -> PluginConfig.of(Map.of(typo, "segment")))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining(typo);
        }
    }

    @Test
    void shouldNameTheKeyOfABadValue() {
        for (String[] bad : new String[][] {
            {"slipstream.ring.bytes", "100000"},
            {"slipstream.ring.bytes", "1024"},
            {"slipstream.ring.credits", "0"},
            {"slipstream.handler.threads", "many"},
            {"slipstream.provider", "carrier-pigeon"},
            {"slipstream.directory", ""},
            {"slipstream.directory", "\0"},
            {"slipstream.registered.bytes", "-1"},
            {"slipstream.rdma.retry.count", "7"},
            {"slipstream.rdma.rnr.retry.count", "7"},
            {"slipstream.rdma.port", "-1"},
            {"slipstream.rdma.gid.index", "-2"},
            {"slipstream.rdma.address", "10.0.0.1"},
            {"slipstream.control.address", "9494"},
            {"slipstream.control.address", "host:99999"},
            {"slipstream.control.address", "::1:9494"},
            {"slipstream.control.secret", "too short"},
            {"slipstream.max.links.per.connection", "0"},
            {"slipstream.max.sessions.per.principal", "-1"},
            {"slipstream.control.secret.file", "/no/such/file"},
            {"slipstream.control.users", "no-such-user"},
            {"slipstream.control.socket.mode", "0660"},
            {"slipstream.control.socket.mode", "rwxrwxrwx"},
            {"slipstream.control.socket.group", "no-such-group"},
            {"slipstream.poll.spin.us", "1000000"},
            {"slipstream.read.window.bytes", "4096"}
        }) {
            assertThatThrownBy(() -> PluginConfig.of(Map.of(bad[0], bad[1])))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining(bad[0]);
        }
    }

    @Test
    void shouldListenOnTcpWithVerbsOrWhereAsked() {
        assertThat(controlAddress(Map.of(), "shm")).isNull();
        assertThat(controlAddress(Map.of(), "verbs")).isEqualTo(new HostPort("127.0.0.1", 9494));
        assertThat(controlAddress(Map.of("slipstream.control.address", ""), "verbs"))
                .isNull();
        assertThat(controlAddress(Map.of("slipstream.control.address", "[::1]:0"), "shm"))
                .isEqualTo(new HostPort("::1", 0))
                .hasToString("[::1]:0");
    }

    private static HostPort controlAddress(Map<String, String> settings, String provider) {
        return PluginConfig.of(settings).control().address(provider);
    }

    @Test
    void shouldNameTheDevice() {
        PluginConfig given = PluginConfig.of(Map.of(
                "slipstream.rdma.device", "rxe0",
                "slipstream.rdma.port", "1",
                "slipstream.rdma.gid.index", "2",
                "slipstream.rdma.retry.count", "0",
                "slipstream.rdma.rnr.retry.count", "1",
                "slipstream.rdma.address", "10.0.0.1:7471"));

        assertThat(given.device()).isEqualTo(new DeviceConfig("rxe0", 1, 2, 0, 1));
        assertThat(given.rdmaAddress()).hasToString("10.0.0.1:7471");
        assertThat(PluginConfig.of(Map.of()).device()).isEqualTo(DeviceConfig.DEFAULT);
        assertThat(PluginConfig.of(Map.of()).rdmaAddress()).isNull();
    }

    @Test
    void shouldExcludeListenersOfThisBrokerAndPrincipals() {
        String listeners = "INTERNAL://:9092,Clients://0.0.0.0:9093";
        Exclusions given = PluginConfig.of(Map.of(
                        "listeners", listeners,
                        "slipstream.listeners.excluded", "clients",
                        "slipstream.principals.excluded", "User:alice; User:CN=app,O=Example;",
                        "slipstream.topics.excluded", "payments, secret-*"))
                .exclusions();

        assertThat(given.listeners()).containsExactly("CLIENTS");
        assertThat(given.principals()).containsExactlyInAnyOrder("User:alice", "User:CN=app,O=Example");
        assertThat(given.topics().includes("payments")).isTrue();
        assertThat(given.topics().includes("secret-1")).isTrue();
        assertThat(given.topics().includes("payments-1")).isFalse();
        assertThatThrownBy(() -> PluginConfig.of(Map.of("slipstream.topics.excluded", "a*b")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("slipstream.topics.excluded");
        assertThat(given.reason("INTERNAL", "User:bob")).isNull();
        assertThatThrownBy(() ->
                        PluginConfig.of(Map.of("listeners", listeners, "slipstream.listeners.excluded", "PLAINTEXT")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("slipstream.listeners.excluded")
                .hasMessageContaining("PLAINTEXT");
        for (String wrong : new String[] {"alice", ":alice", "User:", "User:bob;alice"}) {
            assertThatThrownBy(() -> PluginConfig.of(Map.of("slipstream.principals.excluded", wrong)))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("slipstream.principals.excluded");
        }
    }

    @Test
    void shouldBeDocumentedKeyByKey() throws IOException {
        String operations = Files.readString(Path.of("..", "..", "docs", "operations.md"));
        for (ConfigDef.ConfigKey key : PluginKeys.DEFINITION.configKeys().values()) {
            boolean noDefault = key.defaultValue == null || key.defaultValue.equals("");
            String row = "| `" + key.name + "` | " + key.type.name().toLowerCase(Locale.ROOT) + " | "
                    + (noDefault ? "" : "`" + key.defaultValue + "`") + " | "
                    + (key.validator == null ? "" : key.validator) + " | " + key.documentation + " |";
            assertThat(operations).as("row of " + key.name).contains(row);
        }
    }
}
