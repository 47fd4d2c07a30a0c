// SPDX-License-Identifier: Apache-2.0
package io.slipstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.slipstream.cli.KeyReference.Format;
import io.slipstream.proxy.config.ProxyConfig;
import io.slipstream.proxy.config.ProxyConfigLoader;
import io.slipstream.proxy.config.ProxyKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigReferenceTest {
    @TempDir
    private Path directory;

    @Test
    void shouldAcceptItsOwnReferenceAndAllDefaultsInIt() throws IOException {
        String reference = ConfigReference.ofProxy(Format.PROPERTIES);
        Path file = directory.resolve("reference.properties");
        Files.writeString(file, reference);
        assertThat(ProxyConfigLoader.load(file, Map.of(), Map.of()).changed())
                .as("all but the brokers is commented out")
                .hasSize(1);
        Files.writeString(file, reference.replaceAll("(?m)^#([a-z.]+=.+)$", "$1"));
        ProxyConfig config = ProxyConfigLoader.load(file, Map.of(), Map.of());
        assertThat(config.changed()).as("its defaults are the defaults").hasSize(1);
        assertThat(Files.readString(file)).contains("\ndrain.timeout.ms=10000\n");
    }

    @Test
    void shouldPrintItsReferenceForPrograms() throws IOException {
        JsonNode keys = new ObjectMapper().readTree(ConfigReference.ofProxy(Format.JSON));
        assertThat(keys.size()).isEqualTo(ProxyKeys.DEFINITION.names().size());
        for (JsonNode key : keys) {
            assertThat(ProxyKeys.DEFINITION.names()).contains(key.get("key").asText());
            assertThat(key.get("meaning").asText()).isNotEmpty();
        }
        assertThat(keys.get(0).get("required").asBoolean()).isTrue();
    }

    @Test
    void shouldBeDocumentedAsItIs() throws IOException {
        Path operations = Path.of("..", "docs", "operations.md");
        assertThat(Files.readString(operations))
                .as("regenerate with: ./slipstream config-docs proxy")
                .contains(ConfigReference.ofProxy(Format.MARKDOWN));
    }
}
