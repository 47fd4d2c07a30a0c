package io.slipstream.broker.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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

    @Test
    void shouldNameTheKeyOfABadValue() {
        for (String[] bad : new String[][] {
            {"slipstream.ring.bytes", "100000"},
            {"slipstream.ring.bytes", "1024"},
            {"slipstream.ring.credits", "0"},
            {"slipstream.handler.threads", "many"},
            {"slipstream.provider", "carrier-pigeon"},
            {"slipstream.directory", ""},
            {"slipstream.registered.bytes", "-1"}
        }) {
            assertThatThrownBy(() -> PluginConfig.of(Map.of(bad[0], bad[1])))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining(bad[0]);
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
