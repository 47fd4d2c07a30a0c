// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.proxy.listener.BindException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A proxy that starts on the ports of another one, which then stops. */
@Timeout(60)
class HandOverTest extends SidecarFixture {
    private Map<String, String> samePorts(boolean reuse) {
        int port = sidecar.bootstrapAddress().getPort();
        return Map.of("listen.port", Integer.toString(port), "listen.reuse.port", Boolean.toString(reuse));
    }

    @Test
    void shouldTakeOverThePortsOfAProxyThatStillServes() throws Exception {
        Map<String, String> shared = samePorts(true);
        sidecar.close();
        sidecar = start(shared);
        InetSocketAddress address = sidecar.bootstrapAddress();
        try (WireClient connected = client()) {
            answer(connected, 1);
            Sidecar next = start(shared);
            try {
                sidecar.close();
                for (int i = 2; i < 20; i++) {
                    try (WireClient client = new WireClient(address)) {
                        answer(client, i);
                    }
                }
                MetadataResponseBroker one = SidecarTest.brokers(address).find(1);
                assertThat(one.port()).isEqualTo(address.getPort() + 2);
                try (WireClient client = new WireClient(new InetSocketAddress(one.host(), one.port()))) {
                    answer(client, 20);
                }
            } finally {
                next.close();
            }
        }
    }

    private static void answer(WireClient client, int correlationId) throws IOException {
        client.send(WireClient.request(ECHO, 0, correlationId));
        assertThat(client.receive().getInt()).isEqualTo(correlationId);
    }

    @Test
    void shouldNotShareAPortUnasked() {
        assertThatThrownBy(() -> start(samePorts(false)))
                .isInstanceOf(BindException.class)
                .hasMessageContaining("in use");
        // The first one must permit it, too.
        assertThatThrownBy(() -> start(samePorts(true))).isInstanceOf(BindException.class);
    }
}
