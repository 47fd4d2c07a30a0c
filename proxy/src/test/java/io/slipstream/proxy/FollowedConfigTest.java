// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.proxy.config.ProxyConfig;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a proxy takes over from a configuration that is read again. */
@Timeout(60)
class FollowedConfigTest extends SidecarFixture {
    private static final String LEVEL = "log.level";

    private Map<String, String> settings() {
        return new HashMap<>(Map.of(
                "bootstrap.servers", "127.0.0.1:" + broker.port(),
                "listen.port", "0",
                "management.port", "0",
                "rdma.provider", "shm",
                "rdma.control.port", "0",
                "event.loops", "2"));
    }

    private ProxyConfig with(String... keysAndValues) {
        Map<String, String> all = settings();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            all.put(keysAndValues[i], keysAndValues[i + 1]);
        }
        return ProxyConfig.of(all);
    }

    @Test
    void shouldFollowWhatCanChangeAndNameTheRest() throws Exception {
        sidecar.close();
        sidecar = Sidecar.start(with());

        assertThat(sidecar.follow(with("rdma.enabled", "false", LEVEL, "warn"))).isEmpty();
        assertThat(sidecar.isRdmaEnabled()).isFalse();
        assertThat(sidecar.logLevels().describe()).contains("io.slipstream WARN");

        assertThat(sidecar.follow(with("max.connections", "7", "listen.host", "::1")))
                .containsExactly("listen.host", "max.connections");
        assertThat(sidecar.isRdmaEnabled()).isTrue();
        assertThat(sidecar.logLevels().describe()).contains("io.slipstream INFO");

        sidecar.setRdmaEnabled(false);
        assertThat(sidecar.follow(with())).isEmpty();
        assertThat(sidecar.isRdmaEnabled()).as("as an operator left it").isFalse();
    }
}
