// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.handler.ssl.SslHandler;
import io.netty.pkitesting.X509Bundle;
import io.slipstream.link.meter.Meter;
import io.slipstream.link.settings.ControlPorts;
import io.slipstream.link.settings.TransportSettings;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlSecret;
import io.slipstream.proxy.config.ProxyConfig;
import io.slipstream.proxy.ring.ProduceFrames;
import io.slipstream.proxy.tls.Encryption;
import io.slipstream.proxy.tls.TestAuthority;
import io.slipstream.rdma.DeviceConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * Which plugins the proxy uses over TCP with TLS, and its log messages about others. Without a usable plugin, requests
 * take TCP.
 */
@Timeout(60)
class ControlTlsTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String HOST = "127.0.0.1";
    private static final ControlSecret SECRET = ControlSecret.of("correct horse battery staple");

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.slipstream.link");
    private final ListAppender<ILoggingEvent> said = new ListAppender<>();
    private FastPathFixture fixture;
    private PluginPeer peer;
    private Encryption encryption;
    private TlsRelay relay;

    @TempDir
    private Path temporary;

    private TestAuthority authority;
    private X509Bundle brokers;

    @BeforeEach
    void certify() throws Exception {
        authority = new TestAuthority(temporary);
        brokers = authority.issue("broker", HOST);
        said.start();
        logger.addAppender(said);
    }

    @AfterEach
    void close() throws Exception {
        logger.detachAppender(said);
        peer.close();
        fixture.close();
        if (relay != null) {
            relay.close();
        }
        if (encryption != null) {
            encryption.close();
        }
    }

    /** TLS of a proxy that trusts the authority and presents that certificate, or none. */
    private Function<InetSocketAddress, SslHandler> tls(X509Bundle shown) throws IOException {
        Map<String, String> settings = new HashMap<>(Map.of(
                "bootstrap.servers", "a:1",
                "rdma.control.security.protocol", "SSL",
                "rdma.control.ssl.truststore.type", "PEM",
                "rdma.control.ssl.truststore.location", authority.trustFile().toString()));
        if (shown != null) {
            settings.put("rdma.control.ssl.keystore.type", "PEM");
            settings.put(
                    "rdma.control.ssl.keystore.location",
                    authority.keyFile("proxy", shown).toString());
        }
        encryption = new Encryption(ProxyConfig.of(settings));
        return encryption::towardsPlugin;
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    /**
     * The plugin presents that certificate, or has no TLS if null. The proxy connects to {@code port}, or to the plugin
     * if 0.
     */
    private TestClient start(
            ControlSecret secret, Function<InetSocketAddress, SslHandler> proxys, X509Bundle plugins, int port)
            throws Exception {
        int pluginsPort = freePort();
        fixture = new FastPathFixture(
                new TransportSettings("auto", DeviceConfig.DEFAULT, TransportSettings.SPIN_NS, 1 << 20),
                new ControlPorts(0, Map.of(PluginPeer.NODE, port == 0 ? pluginsPort : port), secret, proxys),
                FastPathFixture.ANY_MEMORY);
        peer = fixture.peer();
        if (plugins != null) {
            peer.tls = authority.context(plugins);
            peer.certificate = ControlSecret.digest(new Certificate[] {plugins.getCertificate()});
        }
        peer.run(() -> peer.secret = secret);
        peer.listenOnTcp(pluginsPort);
        if (relay != null) {
            relay.to(pluginsPort);
        }
        fixture.factory.brokerAt(PluginPeer.NODE, HOST);
        return fixture.client(peer);
    }

    private void awaitLink(TestClient client) throws Exception {
        await().atMost(SOON).until(() -> {
            TestClient.Request request = client.submit(ProduceFrames.produce(1, 10));
            await().atMost(SOON).until(() -> request.answer.isDone() || !peer.landed.isEmpty());
            if (request.answer.isDone()) {
                return false;
            }
            PeerLink.Landed landed = peer.landed.take();
            peer.run(() -> peer.link().reply(landed, 0, "ok".getBytes(StandardCharsets.UTF_8)));
            return request.await().kind().equals("respond");
        });
        client.close();
    }

    private void awaitRefusal(TestClient client, String... parts) throws Exception {
        await().atMost(SOON)
                .until(() -> client.submit(ProduceFrames.produce(1, 10)).await().kind(), "fallBack:NO_PLUGIN"::equals);
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(log())
                        .anySatisfy(message ->
                                assertThat(message).contains("is of no use").contains(parts)));
        assertThat(fixture.meters.value(Meter.LINKS_UP)).isZero();
        assertThat(peer.on(() -> peer.requests.stream().anyMatch(ControlRequest.Hello.class::isInstance)))
                .as("was greeted")
                .isFalse();
        client.close();
    }

    private List<String> log() {
        return List.copyOf(said.list).stream()
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    void shouldUseAPluginOfATrustedCertificate() throws Exception {
        awaitLink(start(SECRET, tls(null), brokers, 0));
    }

    @Test
    void shouldTryAgainIfItsOwnTlsCouldNotBeMade() throws Exception {
        Function<InetSocketAddress, SslHandler> made = tls(null);
        AtomicInteger attempts = new AtomicInteger();
        Function<InetSocketAddress, SslHandler> failsOnce = plugin -> {
            if (attempts.incrementAndGet() == 1) {
                throw new IllegalStateException("no key");
            }
            return made.apply(plugin);
        };

        awaitLink(start(SECRET, failsOnce, brokers, 0));

        assertThat(log()).anySatisfy(message -> assertThat(message).contains("is of no use", "no key"));
    }

    @Test
    void shouldShowItsOwnCertificate() throws Exception {
        TestClient client = start(null, tls(authority.issue("proxy", HOST)), brokers, 0);
        peer.asksForCertificates = true;
        awaitLink(client);
    }

    @Test
    void shouldSayThatACertificateIsAskedFor() throws Exception {
        TestClient client = start(null, tls(null), brokers, 0);
        peer.asksForCertificates = true;
        awaitRefusal(client, "certificate");
    }

    @Test
    void shouldNotUseOneOfAnotherAuthority() throws Exception {
        awaitRefusal(start(SECRET, tls(null), new TestAuthority(temporary).issue("broker", HOST), 0), "PKIX");
    }

    @Test
    void shouldNotUseOneOfAnotherName() throws Exception {
        awaitRefusal(start(SECRET, tls(null), authority.issue("broker", "127.0.0.2"), 0), HOST);
    }

    @Test
    void shouldNotUseOneThatSpeaksNoTls() throws Exception {
        awaitRefusal(start(SECRET, tls(null), null, 0), "TLS");
    }

    @Test
    void shouldNotUseOneThatSpeaksTlsIfItDoesNotItself() throws Exception {
        awaitRefusal(start(null, null, brokers, 0), "rdma.control.security.protocol");
        assertThat(log().stream().filter(message -> message.contains("no use"))).hasSize(1);
    }

    /** A relay with a trusted certificate forwards everything. */
    @Test
    void shouldNotUseOneBehindAnotherCertificate() throws Exception {
        relay = new TlsRelay(authority.context(authority.issue("stranger", HOST)));
        awaitRefusal(start(SECRET, tls(null), brokers, relay.port()), "NOT_AUTHENTICATED");
    }

    /** Proves that the relay of the test above does not fail by itself. */
    @Test
    void shouldNotSeeThatWithoutASecret() throws Exception {
        relay = new TlsRelay(authority.context(authority.issue("stranger", HOST)));
        awaitLink(start(null, tls(null), brokers, relay.port()));
    }
}
