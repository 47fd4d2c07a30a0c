// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.broker.client.TestAuthority;
import io.slipstream.broker.config.TopicSet;
import io.slipstream.broker.metrics.PluginMeter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A leader on another host, whose control channel demands certificates. */
@Timeout(60)
class LeaderTlsTest extends FollowerFixture {
    @TempDir
    private Path elsewhere;

    private final Map<String, Object> brokers = new HashMap<>();

    @BeforeEach
    void leaveHost() throws Exception {
        fetcher.close();
        links.close();
        plugin.close();
        brokers.putAll(new TestAuthority(elsewhere).broker());
        brokers.put("slipstream.control.address", "127.0.0.1:" + freePort());
        brokers.put("slipstream.control.ssl.client.auth", "required");
        settings.putAll(brokers);
        settings.put("slipstream.directory", elsewhere.resolve("s").toString());
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    private void start(String leadersHost) throws IOException {
        brokers.forEach((key, value) -> plugin.set(key, value.toString()));
        plugin.start();
        startFollower();
        fetcher = fetcher(TopicSet.NONE, leadersHost);
    }

    @Test
    void shouldFetchFromALeaderWithATrustedCertificate() throws Exception {
        start("127.0.0.1");

        awaitRdma();
    }

    @Test
    void shouldLeaveALeaderWithACertificateOfAnotherAuthorityToTcp() throws Exception {
        brokers.putAll(new TestAuthority(elsewhere).broker());
        start("127.0.0.1");

        awaitRefusal();
    }

    @Test
    void shouldLeaveALeaderWhoseCertificateNamesAnotherHostToTcp() throws Exception {
        start("localhost");

        awaitRefusal();
    }

    private void awaitRefusal() {
        await().atMost(PATIENCE).pollInSameThread().until(() -> {
            assertThat(fetch()).isNull();
            return plugin.meters.get(PluginMeter.CONTROL_AUTHENTICATION_FAILURES) > 1;
        });
        assertThat(plugin.meters.get(PluginMeter.LINKS_OPENED)).isZero();
    }
}
