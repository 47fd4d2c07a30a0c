// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.X509Bundle;
import io.slipstream.link.net.TlsFailure;
import io.slipstream.protocol.tls.TlsEngines;
import io.slipstream.proxy.config.ProxyConfig;
import io.slipstream.proxy.config.TlsKeys;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.HashMap;
import java.util.Map;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class TlsEnginesTest {
    private static final String HOST = "127.0.0.1";

    @TempDir
    private Path directory;

    private TestAuthority authority;
    private Path keyFile;

    @BeforeEach
    void certify() throws Exception {
        authority = new TestAuthority(directory);
        keyFile = authority.keyFile("proxy", authority.issue("first", HOST));
    }

    private TlsEngines clients(Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "bootstrap.servers", "a:1",
                "listen.security.protocol", "SSL",
                "listen.ssl.keystore.type", "PEM",
                "listen.ssl.keystore.location", keyFile.toString()));
        settings.putAll(more);
        return new TlsEngines(TlsKeys.CLIENTS.definition, ProxyConfig.of(settings).clientTls);
    }

    private TlsEngines brokers(Map<String, String> more) throws Exception {
        Map<String, String> settings = new HashMap<>(Map.of(
                "bootstrap.servers", "a:1",
                "security.protocol", "SSL",
                "ssl.truststore.type", "PEM",
                "ssl.truststore.location", authority.trustFile().toString()));
        settings.putAll(more);
        return new TlsEngines(TlsKeys.BROKERS.definition, ProxyConfig.of(settings).brokerTls);
    }

    /** Common name of the certificate that the server presented. */
    private String nameShown(TlsEngines server) throws Exception {
        SSLEngine client = authority.context(null).createSSLEngine(HOST, 1);
        client.setUseClientMode(true);
        shakeHands(client, server.towardsClient(HOST, 1));
        X509Certificate shown = (X509Certificate) client.getSession().getPeerCertificates()[0];
        return shown.getSubjectX500Principal().getName();
    }

    @Test
    void shouldShowTheCertificateThatReplacedTheFirst() throws Exception {
        TlsEngines engines = clients(Map.of());
        assertThat(nameShown(engines)).isEqualTo("CN=first");
        authority.keyFile("proxy", authority.issue("second", HOST));
        assertThat(nameShown(engines)).as("nobody has looked yet").isEqualTo("CN=first");
        engines.reload();
        assertThat(nameShown(engines)).isEqualTo("CN=second");
    }

    @Test
    void shouldGoOnWithTheOldStoreWhileTheNewOneIsBroken() throws Exception {
        TlsEngines engines = clients(Map.of());
        Files.writeString(keyFile, "half of a");
        engines.reload();
        assertThat(nameShown(engines)).isEqualTo("CN=first");
        Files.delete(keyFile);
        engines.reload();
        assertThat(nameShown(engines)).isEqualTo("CN=first");
        authority.keyFile("proxy", authority.issue("third", HOST));
        engines.reload();
        assertThat(nameShown(engines)).isEqualTo("CN=third");
    }

    @Test
    void shouldNameTheKeyOfAStoreThatCannotBeUsed() throws Exception {
        assertThatThrownBy(() -> clients(Map.of("listen.ssl.keystore.location", "/nowhere/key.pem")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("listen.ssl.keystore.location")
                .hasMessageContaining("/nowhere/key.pem");
        assertThatThrownBy(() -> clients(Map.of("listen.ssl.keystore.password", "wrong here")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("listen.ssl.keystore.location")
                .hasMessageContaining("password cannot be specified");
        assertThatThrownBy(() -> brokers(Map.of("ssl.truststore.location", "/nowhere/trust.pem")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("ssl.truststore.location")
                .hasMessageContaining("/nowhere/trust.pem");
        assertThatThrownBy(() -> brokers(Map.of("ssl.truststore.type", "JKS")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("ssl.truststore.location");
    }

    @Test
    void shouldCheckTheBrokersName() throws Exception {
        X509Bundle elsewhere = authority.issue("elsewhere", "127.0.0.2");
        assertThatThrownBy(() -> shakeHands(brokers(Map.of()).towardsServer(HOST, 9), server(elsewhere)))
                .isInstanceOf(SSLException.class)
                .hasMessageContaining(HOST);
        shakeHands(
                brokers(Map.of("ssl.endpoint.identification.algorithm", "")).towardsServer(HOST, 9), server(elsewhere));
        shakeHands(brokers(Map.of()).towardsServer("127.0.0.2", 9), server(elsewhere));
    }

    @Test
    void shouldNotTrustAnotherAuthority() throws Exception {
        X509Bundle stranger = new TestAuthority(directory).issue("stranger", HOST);
        assertThatThrownBy(() -> shakeHands(brokers(Map.of()).towardsServer(HOST, 9), server(stranger)))
                .isInstanceOf(SSLException.class)
                .satisfies(failure -> assertThat(TlsFailure.describe(failure)).contains("PKIX"));
    }

    @Test
    void shouldTakeKeysThatAreWrittenInTheSettings() throws Exception {
        X509Bundle bundle = authority.issue("inline", HOST);
        Map<String, String> settings = Map.of(
                "bootstrap.servers",
                "a:1",
                "listen.security.protocol",
                "SSL",
                "listen.ssl.keystore.type",
                "PEM",
                "listen.ssl.keystore.key",
                bundle.getPrivateKeyPEM(),
                "listen.ssl.keystore.certificate.chain",
                bundle.getCertificatePathPEM());
        ProxyConfig config = ProxyConfig.of(settings);
        assertThat(nameShown(new TlsEngines(TlsKeys.CLIENTS.definition, config.clientTls)))
                .isEqualTo("CN=inline");
        assertThat(config.describe()).contains("listen.ssl.keystore.key=[hidden]");
    }

    private SSLEngine server(X509Bundle bundle) throws Exception {
        SSLEngine server = authority.context(bundle).createSSLEngine();
        server.setUseClientMode(false);
        return server;
    }

    /** Exchanges the data of both engines until both are done. */
    private static void shakeHands(SSLEngine client, SSLEngine server) throws SSLException {
        ByteBuffer toServer = ByteBuffer.allocate(1 << 17);
        ByteBuffer toClient = ByteBuffer.allocate(1 << 17);
        client.beginHandshake();
        server.beginHandshake();
        for (int step = 0; step < 1_000; step++) {
            boolean done = advance(client, toClient, toServer);
            done &= advance(server, toServer, toClient);
            if (done) {
                return;
            }
        }
        throw new SSLException("no end of the handshake");
    }

    /** One step; true if there is nothing left to do. */
    private static boolean advance(SSLEngine engine, ByteBuffer in, ByteBuffer out) throws SSLException {
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
        HandshakeStatus status = engine.getHandshakeStatus();
        if (status == HandshakeStatus.NEED_WRAP) {
            engine.wrap(ByteBuffer.allocate(0), out);
            return false;
        }
        if (in.position() > 0) {
            in.flip();
            SSLEngineResult result = engine.unwrap(in, ByteBuffer.allocate(1 << 17));
            in.compact();
            return result.getHandshakeStatus() == HandshakeStatus.NOT_HANDSHAKING && in.position() == 0;
        }
        return status == HandshakeStatus.NOT_HANDSHAKING;
    }
}
