// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.broker.client.ControlClient;
import io.slipstream.broker.client.OtherUser;
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
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Admission to the control channel: certain users over sockets, peers with the secret over TCP. */
@Timeout(60)
class ControlAccessTest {
    private static final String SECRET = "correct horse battery staple";
    private static final ControlRequest HELLO = new ControlRequest.Hello("proxy", "1");

    private final PluginMeters counters = new PluginMeters();
    private final EchoLine line = new EchoLine(1);
    private final ControlSecret secret = ControlSecret.of(SECRET);
    private PluginServer server;

    @TempDir
    private Path temporary;

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    private Path start(Map<String, Object> settings) throws IOException {
        Path directory = temporary.resolve("s");
        Map<String, Object> originals = new HashMap<>(settings);
        originals.put("slipstream.directory", directory.toString());
        originals.put("slipstream.provider", TestProvider.NAME);
        originals.putIfAbsent("slipstream.control.address", "");
        originals.put("slipstream.ring.bytes", "65536");
        server = PluginServer.start(line, line.describe(originals, originals), counters);
        return directory.resolve("cluster.7.sock");
    }

    private ControlClient connectOnTcp() throws IOException {
        return new ControlClient(server.controlAddress);
    }

    private void startWithSecret() throws IOException {
        start(Map.of("slipstream.control.address", "127.0.0.1:0", "slipstream.control.secret", SECRET));
    }

    private String challenge(ControlClient control, String proxyNonce) throws IOException {
        return control.ask(new ControlRequest.Challenge(proxyNonce), ControlResponse.Challenge.class)
                .nonce();
    }

    private String proof(ControlSecret of, Side side, int nodeId, String proxyNonce, String brokerNonce) {
        return of.proof(side, "cluster", nodeId, proxyNonce, brokerNonce, ControlSecret.NO_CERTIFICATE);
    }

    @Test
    void shouldLetInWhoProvesToHaveTheSecretAndProveItItself() throws Exception {
        startWithSecret();
        try (ControlClient control = connectOnTcp()) {
            String proxyNonce = ControlSecret.newNonce();
            String brokerNonce = challenge(control, proxyNonce);
            ControlResponse.Authenticate answer = control.ask(
                    new ControlRequest.Authenticate(proof(secret, Side.PROXY, 7, proxyNonce, brokerNonce)),
                    ControlResponse.Authenticate.class);

            assertThat(answer.proof()).isEqualTo(proof(secret, Side.BROKER, 7, proxyNonce, brokerNonce));
            assertThat(control.ask(HELLO, ControlResponse.Hello.class).error()).isEqualTo(ControlError.NONE);
        }
        assertThat(counters.get(PluginMeter.CONTROL_AUTHENTICATION_FAILURES)).isZero();
    }

    @Test
    void shouldCloseOnAnythingElse() throws Exception {
        startWithSecret();
        String earlier = ControlSecret.newNonce();
        String earlierProof;
        try (ControlClient control = connectOnTcp()) {
            earlierProof = proof(secret, Side.PROXY, 7, earlier, challenge(control, earlier));
        }
        ControlSecret other = ControlSecret.of("wrong horse battery staple");
        refused(HELLO);
        refused(new ControlRequest.OpenLink(4096, 1));
        refused(new ControlRequest.Authenticate(earlierProof));
        refused(new ControlRequest.Challenge("short"));
        for (int attempt = 0; attempt < 6; attempt++) {
            try (ControlClient control = connectOnTcp()) {
                String nonce = attempt == 5 ? earlier : ControlSecret.newNonce();
                String brokerNonce = challenge(control, nonce);
                ControlRequest wrong = switch (attempt) {
                    case 0 -> new ControlRequest.Authenticate(proof(other, Side.PROXY, 7, nonce, brokerNonce));
                    case 1 -> new ControlRequest.Authenticate(proof(secret, Side.BROKER, 7, nonce, brokerNonce));
                    case 2 -> new ControlRequest.Authenticate(proof(secret, Side.PROXY, 8, nonce, brokerNonce));
                    case 3 -> HELLO;
                    case 4 -> new ControlRequest.Challenge(nonce);
                    default -> new ControlRequest.Authenticate(earlierProof);
                };
                refused(control, wrong);
            }
        }
        assertThat(counters.get(PluginMeter.CONTROL_AUTHENTICATION_FAILURES)).isEqualTo(10);
    }

    private void refused(ControlRequest request) throws IOException {
        try (ControlClient control = connectOnTcp()) {
            refused(control, request);
        }
    }

    private static void refused(ControlClient control, ControlRequest request) throws IOException {
        ControlResponse answer = control.ask(request, ControlResponse.class);
        assertThat(answer.error()).as(request.toString()).isEqualTo(ControlError.NOT_AUTHENTICATED);
        // Requests sent together with the refused one have no effect either.
        control.write(ControlCodec.encodeRequest(9, HELLO));
        assertThatThrownBy(control::readFrame).as(request.toString()).isInstanceOf(IOException.class);
    }

    @Test
    void shouldSayThatThereIsNoSecretToAProxyThatWantsProof() throws Exception {
        start(Map.of("slipstream.control.address", "127.0.0.1:0"));
        try (ControlClient control = connectOnTcp()) {
            ControlResponse answer =
                    control.ask(new ControlRequest.Challenge(ControlSecret.newNonce()), ControlResponse.class);
            assertThat(answer.error()).isEqualTo(ControlError.NOT_AUTHENTICATED);
            assertThat(answer.message()).contains("no secret");
            control.awaitClose();
        }
    }

    @Test
    void shouldNotOpenAPortToOtherHostsWithoutASecret() throws Exception {
        Path socket = start(Map.of("slipstream.control.address", "0.0.0.0:0"));

        assertThat(server.controlAddress).isNull();
        try (ControlClient local = new ControlClient(socket)) {
            assertThat(local.ask(HELLO, ControlResponse.Hello.class).error()).isEqualTo(ControlError.NONE);
        }
        server.close();
        start(Map.of("slipstream.control.address", "0.0.0.0:0", "slipstream.control.secret", SECRET));
        assertThat(server.controlAddress).isNotNull();
    }

    @Test
    void shouldNotAskForTheSecretOverTheSocket() throws Exception {
        Path socket = start(Map.of("slipstream.control.secret", SECRET));
        try (ControlClient local = new ControlClient(socket)) {
            assertThat(local.ask(HELLO, ControlResponse.Hello.class).error()).isEqualTo(ControlError.NONE);
        }
    }

    @Test
    void shouldMakeSocketsAndTheirDirectoryReachableForThoseWhoMayConnect() throws Exception {
        Path socket = start(Map.of("slipstream.control.socket.mode", "rw-rw----"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket.getParent())))
                .isEqualTo("rwx--x---");
        try (var files = Files.list(socket.getParent())) {
            assertThat(files)
                    .allSatisfy(file -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                            .isEqualTo("rw-rw----"));
        }
        server.close();
        Files.setPosixFilePermissions(socket.getParent(), PosixFilePermissions.fromString("rwxrwx---"));
        assertThatThrownBy(() -> start(Map.of("slipstream.control.socket.mode", "rw-rw----")))
                .as("a user that can write there can replace the socket")
                .hasMessageContaining("chmod 710");
    }

    @Test
    void shouldTalkToTheNamedUsersOnly() throws Exception {
        OtherUser.assumePossible();
        Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwx--x--x"));
        Path socket = start(Map.of());
        byte[] hello = bytes(ControlCodec.encodeRequest(0, HELLO));
        assertThat(OtherUser.sends(socket, hello)).as("the directory is closed").startsWith("refused: Permission");
        server.close();

        start(Map.of("slipstream.control.socket.mode", "rw-rw-rw-"));
        assertThat(OtherUser.sends(socket, hello))
                .as("the user may open the socket, but not connect")
                .isEqualTo("closed");
        assertThat(counters.get(PluginMeter.CONTROL_CONNECTIONS_REFUSED)).isEqualTo(1);
        assertThat(counters.get(PluginMeter.CONTROL_CONNECTIONS)).isZero();
        server.close();

        start(Map.of(
                "slipstream.control.socket.mode", "rw-rw-rw-", "slipstream.control.users", "daemon, " + OtherUser.UID));
        assertThat(OtherUser.sends(socket, hello)).isEqualTo("answered");
        assertThat(counters.get(PluginMeter.CONTROL_CONNECTIONS)).isEqualTo(1);
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }
}
