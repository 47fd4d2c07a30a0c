// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.slipstream.proxy.config.ProxyConfig;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

class LogOutputTest {
    private final LoggerContext context = new LoggerContext();

    private String line(Level level, String message, Throwable failure, Object... arguments) {
        var logger = context.getLogger("io.slipstream.proxy.Sidecar");
        LoggingEvent event = new LoggingEvent(Logger.class.getName(), logger, level, message, failure, arguments);
        event.setThreadName("slipstream-loop-1");
        return new String(LogOutput.json(context).encode(event), StandardCharsets.UTF_8);
    }

    @Test
    void shouldBeOneJsonObjectALine() throws Exception {
        String line =
                line(Level.WARN, "a \"quoted\" {}\nof two lines", new IllegalStateException("broken\n\"here\""), 7);
        assertThat(line).endsWith("\n");
        assertThat(line.strip()).doesNotContain("\n");
        JsonNode object = new ObjectMapper().readTree(line);
        assertThat(object.get("timestamp").asLong()).isPositive();
        assertThat(object.get("level").asText()).isEqualTo("WARN");
        assertThat(object.get("loggerName").asText()).isEqualTo("io.slipstream.proxy.Sidecar");
        assertThat(object.get("threadName").asText()).isEqualTo("slipstream-loop-1");
        assertThat(object.get("formattedMessage").asText()).isEqualTo("a \"quoted\" 7\nof two lines");
        assertThat(object.get("throwable").get("message").asText()).isEqualTo("broken\n\"here\"");
        assertThat(object.size()).as("fields: " + line).isEqualTo(6);
        assertThat(new ObjectMapper().readTree(line(Level.INFO, "plain", null)).has("formattedMessage"))
                .isTrue();
    }

    @Test
    void shouldNotTellSecretsInAnyFormat() throws Exception {
        ProxyConfig config = ProxyConfig.of(Map.of(
                "bootstrap.servers",
                "a:1",
                "rdma.control.secret",
                "a-secret-of-sixteen-and-more",
                "listen.security.protocol",
                "SSL",
                "listen.ssl.keystore.location",
                "/keys.p12",
                "listen.ssl.keystore.password",
                "open-sesame"));
        String settings = String.join("\n", config.changed());
        assertThat(settings).contains("rdma.control.secret=[hidden]", "listen.ssl.keystore.password=[hidden]");
        String line = line(Level.INFO, "{} {}", null, settings, config.describe());
        assertThat(line).contains("/keys.p12").doesNotContain("sesame").doesNotContain("sixteen");
    }
}
