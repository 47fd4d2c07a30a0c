// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.server;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.slipstream.broker.config.HostPort;
import io.slipstream.broker.metrics.PluginMeters;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class MeterExpositionTest {
    @Test
    void shouldGoOnWithoutAPortThatIsInUse() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            HostPort taken = new HostPort("127.0.0.1", other.getLocalPort());
            assertThatCode(() -> new MeterExposition(taken, new PluginMeters()).close())
                    .doesNotThrowAnyException();
            assertThatCode(() ->
                            new MeterExposition(new HostPort("no-such-host.invalid", 1), new PluginMeters()).close())
                    .doesNotThrowAnyException();
        }
    }
}
