// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.link.meter.Meter;
import io.slipstream.link.settings.ControlPorts;
import io.slipstream.link.settings.TransportSettings;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlSecret;
import io.slipstream.proxy.ring.ProduceFrames;
import io.slipstream.rdma.DeviceConfig;
import io.slipstream.rdma.LocalPeers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which plugins the proxy uses: those of its brokers' users over sockets, and those with its secret over TCP. */
@Timeout(60)
class ControlTrustTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String OTHER_USER = "54321";
    private static final ControlSecret SECRET = ControlSecret.of("correct horse battery staple");

    /** Listens, and records the received messages. */
    private static final String LISTEN = """
            use IO::Socket::UNIX;
            my $listener = IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 5) or die "$!";
            chmod 0666, $ARGV[0];
            $| = 1;
            print "listening\n";
            while (my $peer = $listener->accept) {
                $peer->recv(my $said, 1000);
                print "was sent ", length($said), " bytes\n";
            }
            """;

    private FastPathFixture fixture;
    private PluginPeer peer;
    private Process stranger;

    @TempDir
    private Path temporary;

    private Path words;

    @AfterEach
    void close() throws Exception {
        if (stranger != null) {
            stranger.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
        }
        peer.close();
        fixture.close();
    }

    private TestClient onTcp(ControlSecret proxys, ControlSecret plugins) throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        fixture = new FastPathFixture(
                transport(List.of()),
                new ControlPorts(0, Map.of(PluginPeer.NODE, port), proxys, null),
                FastPathFixture.ANY_MEMORY,
                // A plugin without a secret does not answer at all.
                plugins == null ? 500 : 10_000);
        peer = fixture.peer();
        peer.run(() -> peer.secret = plugins);
        peer.listenOnTcp(port);
        fixture.factory.brokerAt(PluginPeer.NODE, "127.0.0.1");
        return fixture.client(peer);
    }

    private static TransportSettings transport(List<String> users) {
        DeviceConfig device = new DeviceConfig(null, 0, -1, 3, 6, LocalPeers.of(users, "rw-------", ""));
        return new TransportSettings("auto", device, TransportSettings.SPIN_NS, 1 << 20);
    }

    private void awaitLink(TestClient client) {
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
    }

    private void awaitNoPlugin(TestClient client) {
        // The first request waits; its outcome holds for later ones.
        await().atMost(SOON)
                .until(() -> client.submit(ProduceFrames.produce(1, 10)).await().kind(), "fallBack:NO_PLUGIN"::equals);
        assertThat(fixture.meters.value(Meter.LINKS_UP)).isZero();
    }

    private boolean wasGreeted() {
        return peer.on(() -> peer.requests.stream().anyMatch(ControlRequest.Hello.class::isInstance));
    }

    @Test
    void shouldUseAPluginThatHasTheSecret() throws Exception {
        TestClient client = onTcp(SECRET, SECRET);
        awaitLink(client);
        client.close();
    }

    @Test
    void shouldNotUseOneThatHasAnotherSecretOrNone() throws Exception {
        for (ControlSecret plugins : new ControlSecret[] {null, ControlSecret.of("wrong horse battery staple")}) {
            TestClient client = onTcp(SECRET, plugins);
            awaitNoPlugin(client);
            assertThat(wasGreeted()).isFalse();
            client.close();
            if (plugins == null) {
                peer.close();
                fixture.close();
            }
        }
    }

    @Test
    void shouldNotUseOneThatSendsTheProxysOwnProofBack() throws Exception {
        TestClient client = onTcp(SECRET, SECRET);
        peer.run(() -> peer.provesNothing = true);
        awaitNoPlugin(client);
        assertThat(wasGreeted()).isFalse();
        client.close();
    }

    @Test
    void shouldSendNothingToASocketOfSomebodyElse() throws Exception {
        TestClient client = besideAStranger(List.of());
        awaitNoPlugin(client);
        await().atMost(SOON).until(() -> strangersWords().size() > 1);
        assertThat(strangersWords()).containsOnly("listening", "was sent 0 bytes");
        client.close();
    }

    @Test
    void shouldUseTheSocketOfANamedUser() throws Exception {
        TestClient client = besideAStranger(List.of(OTHER_USER));
        awaitNoPlugin(client);
        await().atMost(SOON).until(() -> strangersWords().size() > 1);
        assertThat(strangersWords()).doesNotContain("was sent 0 bytes");
        client.close();
    }

    private List<String> strangersWords() throws IOException {
        return Files.readAllLines(words);
    }

    /** In a world-writable directory, another user's process has placed its socket instead of the broker's. */
    private TestClient besideAStranger(List<String> users) throws Exception {
        Assumptions.assumeTrue("root".equals(System.getProperty("user.name")), "only root can become another user");
        for (String tool : new String[] {"/usr/bin/setpriv", "/usr/bin/perl"}) {
            Assumptions.assumeTrue(Files.isExecutable(Path.of(tool)), tool);
        }
        words = Files.createFile(temporary.resolve("words"));
        fixture = new FastPathFixture(transport(users), ControlPorts.NONE, FastPathFixture.ANY_MEMORY);
        peer = fixture.peer();
        TestClient client = fixture.client(peer);
        Path socket = fixture.directory.resolve(PluginPeer.CLUSTER + "." + PluginPeer.NODE + ".sock");
        Files.delete(socket);
        Files.setPosixFilePermissions(fixture.directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        stranger = new ProcessBuilder(
                        "/usr/bin/setpriv",
                        "--reuid=" + OTHER_USER,
                        "--clear-groups",
                        "/usr/bin/perl",
                        "-e",
                        LISTEN,
                        socket.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .redirectOutput(words.toFile())
                .start();
        await().atMost(SOON).until(() -> Files.exists(socket) && Files.isWritable(socket));
        return client;
    }
}
