// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.pkitesting.X509Bundle;
import io.slipstream.broker.client.ControlClient;
import io.slipstream.broker.client.TestAuthority;
import io.slipstream.broker.client.TestProvider;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.protocol.control.ControlCodec;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.ControlSecret;
import io.slipstream.protocol.control.ControlSecret.Side;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** The control channel over TLS: admission by certificate, and the log messages of refusals. */
@Timeout(60)
class ControlEncryptionTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String SECRET = "correct horse battery staple";
    private static final ControlRequest HELLO = new ControlRequest.Hello("proxy", "1");
    private static final String CLIENT_AUTH = "slipstream.control.ssl.client.auth";

    private final PluginMeters counters = new PluginMeters();
    private final EchoLine line = new EchoLine(1);
    private final ControlSecret secret = ControlSecret.of(SECRET);
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.slipstream.broker");
    private final ListAppender<ILoggingEvent> said = new ListAppender<>();
    private PluginServer server;

    @TempDir
    private Path temporary;

    private TestAuthority authority;
    private X509Bundle brokers;

    @BeforeEach
    void certify() throws Exception {
        authority = new TestAuthority(temporary);
        brokers = authority.issue("broker");
        said.start();
        logger.addAppender(said);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(said);
        if (server != null) {
            server.close();
        }
    }

    private void start(String host, Map<String, Object> settings) throws IOException {
        Map<String, Object> originals = new HashMap<>(settings);
        originals.put("slipstream.directory", temporary.resolve("s").toString());
        originals.put("slipstream.provider", TestProvider.NAME);
        originals.put("slipstream.control.address", host + ":0");
        originals.put("slipstream.ring.bytes", "65536");
        server = PluginServer.start(line, line.describe(originals, originals), counters);
    }

    /** Returns TLS settings with the broker's certificate, and more. */
    private Map<String, Object> tls(Map<String, Object> more) throws Exception {
        Map<String, Object> settings = authority.identity(brokers);
        settings.putAll(more);
        return settings;
    }

    private Map<String, Object> mutualTls() throws Exception {
        Map<String, Object> settings = tls(authority.trust());
        settings.put(CLIENT_AUTH, "required");
        return settings;
    }

    private SSLSocket connect(SSLContext context) throws IOException {
        return (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", server.controlAddress.getPort());
    }

    private List<String> log() {
        return List.copyOf(said.list).stream()
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    private void awaitLog(String... parts) {
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(log())
                        .anySatisfy(message -> assertThat(message).contains(parts)));
    }

    private ControlResponse prove(ControlClient control, byte[] certificate) throws IOException {
        String proxys = ControlSecret.newNonce();
        String ours = control.ask(new ControlRequest.Challenge(proxys), ControlResponse.Challenge.class)
                .nonce();
        ControlResponse answer = control.ask(
                new ControlRequest.Authenticate(secret.proof(Side.PROXY, "cluster", 7, proxys, ours, certificate)),
                ControlResponse.class);
        if (answer instanceof ControlResponse.Authenticate proven && proven.error() == ControlError.NONE) {
            assertThat(proven.proof()).isEqualTo(secret.proof(Side.BROKER, "cluster", 7, proxys, ours, certificate));
        }
        return answer;
    }

    private static byte[] digest(X509Bundle bundle) {
        return ControlSecret.digest(new Certificate[] {bundle.getCertificate()});
    }

    /** The second session is a resumed one, in which no certificate is sent. */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void shouldBindTheSecretToTheCertificate(String version) throws Exception {
        start("127.0.0.1", tls(Map.of("slipstream.control.secret", SECRET)));
        SSLContext context = authority.context(null);
        long firstMadeMs = 0;
        for (int attempt = 0; attempt < 3; attempt++) {
            try (SSLSocket socket = connect(context)) {
                socket.setEnabledProtocols(new String[] {version});
                ControlClient control = new ControlClient(socket);
                assertThat(prove(control, digest(brokers)).error()).isEqualTo(ControlError.NONE);
                assertThat(control.ask(HELLO, ControlResponse.Hello.class).error())
                        .isEqualTo(ControlError.NONE);
                assertThat(ControlSecret.digest(socket.getSession().getPeerCertificates()))
                        .isEqualTo(digest(brokers));
                long madeMs = socket.getSession().getCreationTime();
                firstMadeMs = attempt == 0 ? madeMs : firstMadeMs;
                assertThat(madeMs).as("a session is resumed").isEqualTo(firstMadeMs);
            }
        }
        assertThat(counters.get(PluginMeter.CONTROL_AUTHENTICATION_FAILURES)).isZero();
    }

    /** A man in the middle with a certificate that the proxy trusts relays all messages. */
    @Test
    void shouldRefuseAProofThatIsOfAnotherCertificate() throws Exception {
        start("127.0.0.1", tls(Map.of("slipstream.control.secret", SECRET)));
        for (byte[] seen : new byte[][] {digest(authority.issue("broker")), ControlSecret.NO_CERTIFICATE}) {
            try (SSLSocket socket = connect(authority.context(null))) {
                ControlClient control = new ControlClient(socket);
                assertThat(prove(control, seen).error()).isEqualTo(ControlError.NOT_AUTHENTICATED);
                control.awaitClose();
            }
        }
        assertThat(counters.get(PluginMeter.CONTROL_AUTHENTICATION_FAILURES)).isEqualTo(2);
        awaitLog("saw another certificate");
    }

    @Test
    void shouldOpenThePortToOtherHostsForThoseWhoHaveACertificate() throws Exception {
        start("0.0.0.0", mutualTls());
        try (SSLSocket socket = connect(authority.context(authority.issue("proxy")))) {
            ControlClient control = new ControlClient(socket);
            assertThat(control.ask(HELLO, ControlResponse.Hello.class).error()).isEqualTo(ControlError.NONE);
        }
        X509Bundle foreign = new TestAuthority(temporary).issue("proxy");
        for (X509Bundle shown : new X509Bundle[] {null, foreign}) {
            try (SSLSocket socket = connect(authority.context(shown))) {
                assertThatThrownBy(() -> new ControlClient(socket).ask(HELLO, ControlResponse.class))
                        .as("shown: %s", shown == null ? "nothing" : "another authority's")
                        .isInstanceOf(IOException.class);
            }
        }
        await().atMost(SOON).until(() -> counters.get(PluginMeter.CONTROL_AUTHENTICATION_FAILURES) == 2);
        awaitLog("TLS failed", "certificate");
    }

    @Test
    void shouldNotOpenItWithoutASecretForThoseWhoHaveNone() throws Exception {
        start("0.0.0.0", tls(Map.of()));
        assertThat(server.controlAddress).isNull();
        awaitLog("slipstream.control.secret.file", CLIENT_AUTH + "=required", "slipstream.control.ssl.truststore.");
    }

    @Test
    void shouldSayWhatIsWrongWhereOnlyOneSideSpeaksTls() throws Exception {
        start("127.0.0.1", tls(Map.of()));
        try (ControlClient plain = new ControlClient(server.controlAddress)) {
            plain.write(ControlCodec.encodeRequest(0, HELLO));
            plain.awaitClose();
        }
        awaitLog("does not use TLS", "rdma.control.security.protocol=SSL");
        assertThat(counters.get(PluginMeter.CONTROL_PROTOCOL_ERRORS)).isEqualTo(1);
        server.close();

        start("127.0.0.1", Map.of());
        try (SSLSocket socket = connect(authority.context(null))) {
            assertThatThrownBy(socket::startHandshake).isInstanceOf(IOException.class);
        }
        awaitLog("a proxy uses TLS, but this port is plain", "slipstream.control.ssl.keystore.location");
        assertThat(counters.get(PluginMeter.CONTROL_PROTOCOL_ERRORS)).isEqualTo(2);
    }

    @Test
    void shouldCloseWhoDoesNotFinishTheHandshake() throws Exception {
        start("127.0.0.1", tls(Map.of()));
        byte[] beginning = {0x16, 3, 1, 2, 0, 1, 0};
        try (ControlClient silent = new ControlClient(server.controlAddress);
                ControlClient stalled = new ControlClient(server.controlAddress);
                Socket handshakeOnly = connect(authority.context(null))) {
            stalled.write(ByteBuffer.wrap(beginning));
            ((SSLSocket) handshakeOnly).startHandshake();
            silent.awaitClose();
            stalled.awaitClose();
            assertThat(handshakeOnly.getInputStream().read()).isNegative();
        }
    }

    @Test
    void shouldNameTheKeyThatIsWrong() throws Exception {
        refusesToStart(authority.trust(), "slipstream.control.ssl.keystore.location");
        refusesToStart(Map.of(CLIENT_AUTH, "required"), "slipstream.control.ssl.truststore.location");
        refusesToStart(tls(Map.of(CLIENT_AUTH, "required")), "slipstream.control.ssl.truststore.location");
        refusesToStart(tls(Map.of(CLIENT_AUTH, "requested")), CLIENT_AUTH);
        refusesToStart(
                tls(Map.of("slipstream.control.ssl.keystore.location", "/nowhere/key.pem")),
                "slipstream.control.ssl.keystore.location");
    }

    private void refusesToStart(Map<String, Object> settings, String key) {
        assertThatThrownBy(() -> start("127.0.0.1", settings))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(key);
    }
}
