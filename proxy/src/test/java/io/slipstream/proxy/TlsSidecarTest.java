// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.X509Bundle;
import io.slipstream.link.meter.Meter;
import io.slipstream.proxy.config.ProxyConfig;
import io.slipstream.proxy.tls.TestAuthority;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import javax.net.ssl.SSLException;
import org.apache.kafka.common.config.ConfigException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** TLS on either side of the proxy, over sockets, in front of a scripted broker. */
@Timeout(60)
class TlsSidecarTest {
    private static final int ECHO = 16;
    private static final String HOST = "127.0.0.1";

    @TempDir
    private Path directory;

    private TestAuthority authority;
    private X509Bundle bundle;
    private ScriptedBroker broker;
    private Sidecar sidecar;

    @BeforeEach
    void certify() throws Exception {
        authority = new TestAuthority(directory);
        bundle = authority.issue("server", HOST);
    }

    @AfterEach
    void stop() throws IOException {
        if (sidecar != null) {
            sidecar.close();
        }
        if (broker != null) {
            broker.close();
        }
    }

    private Sidecar start(Map<String, String> settings) throws InterruptedException {
        Map<String, String> all = new HashMap<>(Map.of(
                "bootstrap.servers", HOST + ":" + broker.port(),
                "listen.port", "0",
                "management.port", "0",
                "rdma.provider", "tcp",
                "event.loops", "1",
                "metadata.refresh.ms", "200",
                "drain.timeout.ms", "2000"));
        all.putAll(settings);
        sidecar = Sidecar.start(ProxyConfig.of(all));
        return sidecar;
    }

    private void awaitReady() {
        Awaitility.await().until(() -> sidecar.notReadyReason() == null);
    }

    /** Counted on close, which the client may see first. */
    private void awaitDisconnect(String cause) {
        Awaitility.await().until(() -> sidecar.meters().value(Meter.DISCONNECTS, cause) == 1);
    }

    private Map<String, String> towardsBrokers() throws IOException {
        Map<String, String> settings = new HashMap<>();
        settings.put("security.protocol", "SSL");
        settings.put("ssl.truststore.type", "PEM");
        settings.put("ssl.truststore.location", authority.trustFile().toString());
        return settings;
    }

    private Map<String, String> towardsClients() throws IOException {
        Map<String, String> settings = new HashMap<>();
        settings.put("listen.security.protocol", "SSL");
        settings.put("listen.ssl.keystore.type", "PEM");
        settings.put(
                "listen.ssl.keystore.location",
                authority.keyFile("proxy", bundle).toString());
        return settings;
    }

    private static void echo(WireClient client, int requests, int bodyBytes) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < requests; i++) {
            all.write(WireClient.request(ECHO, 0, i, new byte[bodyBytes + i % 50]));
        }
        client.send(all.toByteArray());
        for (int i = 0; i < requests; i++) {
            ByteBuffer response = client.receive();
            assertThat(response.getInt()).isEqualTo(i);
            assertThat(response.remaining()).isEqualTo(10 + bodyBytes + i % 50);
        }
    }

    @Test
    void shouldSpeakTlsOnBothSides() throws Exception {
        broker = new ScriptedBroker(authority.context(bundle));
        Map<String, String> settings = towardsBrokers();
        settings.putAll(towardsClients());
        start(settings);
        awaitReady();
        try (WireClient client = new WireClient(sidecar.bootstrapAddress(), authority.context(null))) {
            echo(client, 2_000, 0);
            echo(client, 20, 40_000);
            LargeAnswer large = new LargeAnswer(5 << 20, 10_000);
            broker.onFetch(large::answer);
            client.send(LargeAnswer.request());
            assertThat(large.isPassedOn(client.receive())).isTrue();
        }
        Awaitility.await().until(() -> sidecar.meters().value(Meter.CONNECTIONS, "upstream") == 0);
        awaitDisconnect("client_closed");
    }

    @Test
    void shouldSayWhyTheBrokersCertificateIsNotTrusted() throws Exception {
        broker = new ScriptedBroker(authority.context(bundle));
        Map<String, String> settings = towardsBrokers();
        settings.put(
                "ssl.truststore.location",
                new TestAuthority(directory).trustFile().toString());
        start(settings);
        Awaitility.await().until(() -> sidecar.notReadyReason().contains("PKIX"));
        try (WireClient client = new WireClient(sidecar.bootstrapAddress())) {
            assertThat(client.isClosedByPeer()).isTrue();
        }
        awaitDisconnect("upstream_tls");
    }

    @Test
    void shouldSayThatTheBrokerAsksForACertificate() throws Exception {
        broker = new ScriptedBroker(authority.context(bundle)).askingForCertificates();
        start(towardsBrokers());
        Awaitility.await()
                .until(() -> sidecar.notReadyReason(), reason -> reason != null && reason.contains("certificate"));
        sidecar.close();
        Map<String, String> settings = towardsBrokers();
        settings.put("ssl.keystore.type", "PEM");
        settings.put(
                "ssl.keystore.location",
                authority.keyFile("proxy", authority.issue("proxy", HOST)).toString());
        start(settings);
        awaitReady();
        try (WireClient client = new WireClient(sidecar.bootstrapAddress())) {
            echo(client, 1, 0);
        }
    }

    @Test
    void shouldSayThatTheBrokerSpeaksNoTls() throws Exception {
        broker = new ScriptedBroker();
        start(towardsBrokers());
        Awaitility.await()
                .until(
                        () -> sidecar.notReadyReason(),
                        reason -> reason != null && reason.contains("does it speak TLS?"));
    }

    @Test
    void shouldRefuseClientsThatDoNotSpeakTls() throws Exception {
        broker = new ScriptedBroker();
        start(towardsClients());
        awaitReady();
        long upstreams = sidecar.meters().value(Meter.CONNECTIONS_OPENED, "upstream");
        try (WireClient client = new WireClient(sidecar.bootstrapAddress())) {
            client.send(WireClient.request(ECHO, 0, 1));
            while (!client.isClosedByPeer()) {
                // A TLS alert may come first.
            }
        }
        awaitDisconnect("plaintext");
        assertThat(sidecar.meters().value(Meter.CONNECTIONS_OPENED, "upstream")).isEqualTo(upstreams);
    }

    /** Netty's default deadline is 10 s. */
    @Test
    @Timeout(8)
    void shouldNotWaitForAHandshakeForEver() throws Exception {
        broker = new ScriptedBroker();
        Map<String, String> settings = towardsClients();
        settings.put("tls.handshake.timeout.ms", "300");
        start(settings);
        awaitReady();
        try (WireClient silent = new WireClient(sidecar.bootstrapAddress())) {
            silent.send(new byte[] {0x16, 0x03, 0x01});
            while (!silent.isClosedByPeer()) {
                // A TLS alert may come first.
            }
        }
        awaitDisconnect("tls_failed");
        assertThat(sidecar.meters().value(Meter.CONNECTIONS_OPENED, "client")).isZero();
    }

    @Test
    void shouldBoundUnfinishedHandshakesWithTheConnections() throws Exception {
        broker = new ScriptedBroker();
        Map<String, String> settings = towardsClients();
        settings.put("max.connections", "2");
        start(settings);
        awaitReady();
        try (WireClient served = new WireClient(sidecar.bootstrapAddress(), authority.context(null))) {
            WireClient silent = new WireClient(sidecar.bootstrapAddress());
            echo(served, 1, 0);
            try (WireClient oneMore = new WireClient(sidecar.bootstrapAddress())) {
                assertThat(oneMore.isClosedByPeer()).isTrue();
            }
            silent.close();
            awaitDisconnect("client_closed");
        }
        awaitDisconnect("limit");
        try (WireClient client = new WireClient(sidecar.bootstrapAddress(), authority.context(null))) {
            echo(client, 1, 0);
        }
    }

    @Test
    void shouldLetInOnlyWhoseCertificateIsGood() throws Exception {
        broker = new ScriptedBroker();
        Map<String, String> settings = towardsClients();
        settings.put("listen.ssl.client.auth", "required");
        settings.put("listen.ssl.truststore.type", "PEM");
        settings.put("listen.ssl.truststore.location", authority.trustFile().toString());
        start(settings);
        awaitReady();
        try (WireClient client =
                new WireClient(sidecar.bootstrapAddress(), authority.context(authority.issue("alice", HOST)))) {
            echo(client, 10, 0);
        }
        assertThatThrownBy(() -> {
                    try (WireClient client = new WireClient(sidecar.bootstrapAddress(), authority.context(null))) {
                        echo(client, 1, 0);
                    }
                })
                .isInstanceOfAny(SSLException.class, IOException.class);
        awaitDisconnect("tls_failed");
        assertThat(broker.received()).hasSize(10);
    }

    @Test
    void shouldNotAskForBrokersWhereSaslComesFirst() throws Exception {
        broker = new ScriptedBroker(authority.context(bundle));
        Map<String, String> settings = towardsBrokers();
        settings.put("security.protocol", "SASL_SSL");
        start(settings);
        awaitReady();
        assertThat(broker.received()).as("ApiVersions").contains(1);
        assertThat(sidecar.meters().value(Meter.BROKERS)).isZero();
    }

    @Test
    void shouldNotStartWithAStoreThatIsNotThere() throws Exception {
        broker = new ScriptedBroker();
        Map<String, String> settings = towardsClients();
        settings.put(
                "listen.ssl.keystore.location", directory.resolve("absent.pem").toString());
        assertThatThrownBy(() -> start(settings))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("listen.ssl.keystore.location")
                .hasMessageContaining("absent.pem");
    }
}
