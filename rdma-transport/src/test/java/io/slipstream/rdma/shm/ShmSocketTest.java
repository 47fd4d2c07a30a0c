// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.QueuePairState;
import io.slipstream.rdma.RdmaListener;
import io.slipstream.rdma.contract.ConnectedPeers;
import io.slipstream.rdma.contract.Peer;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The socket's file, and malformed messages on the socket. */
@Timeout(60)
class ShmSocketTest {
    private ShmFixture fixture;
    private ConnectedPeers peers;

    @BeforeEach
    void connect() throws Exception {
        fixture = new ShmFixture();
        peers = new ConnectedPeers(fixture);
    }

    @AfterEach
    void close() throws Exception {
        peers.close();
        fixture.close();
    }

    private void assertOthersUndisturbed() {
        peers.target.postReceives(1);
        peers.initiator.queuePair.post(peers.initiator.request(Opcode.WRITE_WITH_IMM, null, 0));
        peers.initiator.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.SUCCESS);
        peers.target.awaitCompletion(Opcode.RECV_WITH_IMM, CompletionStatus.SUCCESS);
        assertThat(peers.target.queuePair.state()).isEqualTo(QueuePairState.CONNECTED);
    }

    @Test
    void shouldListenPrivatelyAndCleanUp() throws Exception {
        Path path = Path.of(fixture.unusedAddress());
        try (RdmaListener listener = peers.target.device.listen(path.toString(), request -> {})) {
            assertThat(listener.address()).isEqualTo(path.toString());
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .isEqualTo("rw-------");
        }
        assertThat(path).doesNotExist();
    }

    @Test
    void shouldReplaceTheSocketOfADeadListener() throws Exception {
        Path path = Path.of(fixture.unusedAddress());
        try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            dead.bind(UnixDomainSocketAddress.of(path));
        }
        assertThat(path).exists();

        try (RdmaListener listener = peers.target.device.listen(path.toString(), request -> request.reject("heard"))) {
            assertThatThrownBy(() -> peers.initiator
                            .device
                            .connect(
                                    listener.address(),
                                    peers.initiator.config(),
                                    ByteBuffer.allocate(0),
                                    Duration.ofSeconds(5).toNanos())
                            .toCompletableFuture()
                            .get())
                    .hasMessageContaining("heard");
        }
    }

    @Test
    void shouldNotReplaceAFileThatIsNoSocket() throws Exception {
        Path path = Files.writeString(Path.of(fixture.unusedAddress()), "precious");
        assertThatThrownBy(() -> peers.target.device.listen(path.toString(), request -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not a socket");
        assertThat(path).hasContent("precious");
        Files.delete(path);
    }

    @Test
    void shouldNameTheRemedyForPathsThatCannotWork() {
        assertThatThrownBy(() -> peers.target.device.listen("/tmp/" + "x".repeat(110), request -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("too long");
        assertThatThrownBy(() -> peers.target.device.listen("/tmp/no/such/directory/s", request -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("directory does not exist");
    }

    @Test
    void shouldCloseSocketsThatSendGarbage() throws Exception {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        System.out.println("garbage test, seed " + seed);
        Random random = new Random(seed);
        try (RdmaListener listener = peers.target.device.listen(fixture.unusedAddress(), request -> {
            throw new AssertionError("garbage became a connection request");
        })) {
            for (int i = 0; i < 300; i++) {
                try (SocketChannel stranger = SocketChannel.open(UnixDomainSocketAddress.of(listener.address()))) {
                    stranger.write(ByteBuffer.wrap(garbage(random, i)));
                    stranger.shutdownOutput();
                    awaitEnd(stranger);
                }
            }
            assertOthersUndisturbed();
        }
    }

    /** Pure noise, or a plausible length and type followed by noise. */
    private static byte[] garbage(Random random, int round) {
        byte[] bytes = new byte[1 + random.nextInt(2000)];
        random.nextBytes(bytes);
        if (round % 2 == 0 && bytes.length > 5) {
            ByteBuffer.wrap(bytes).putInt(Math.min(bytes.length, 1000) - 4).put((byte) (round / 2 % 14));
        }
        return bytes;
    }

    private static void awaitEnd(SocketChannel stranger) {
        ByteBuffer answer = ByteBuffer.allocate(4096);
        try {
            while (stranger.read(answer) >= 0) {
                answer.clear();
            }
        } catch (IOException e) {
            // A reset counts as closed: the other side closed with unread bytes.
        }
    }

    @Test
    void shouldRefuseAnUnknownToken() throws Exception {
        try (RdmaListener listener = peers.target.device.listen(fixture.unusedAddress(), request -> {});
                SocketChannel stranger = SocketChannel.open(UnixDomainSocketAddress.of(listener.address()))) {
            var frame = MessageCodec.encode(io.netty.buffer.UnpooledByteBufAllocator.DEFAULT, new Message.Attach(1, 2));
            stranger.write(frame.nioBuffer());
            frame.release();
            awaitEnd(stranger);
        }
        assertOthersUndisturbed();
    }

    @Test
    void shouldBoundSocketsWithoutHandshake() throws Exception {
        try (RdmaListener listener = peers.target.device.listen(fixture.unusedAddress(), request -> {})) {
            List<SocketChannel> strangers = new ArrayList<>();
            for (int i = 0; i < ShmListener.MAX_PENDING_SOCKETS; i++) {
                strangers.add(SocketChannel.open(UnixDomainSocketAddress.of(listener.address())));
            }
            try (SocketChannel oneTooMany = SocketChannel.open(UnixDomainSocketAddress.of(listener.address()))) {
                awaitEnd(oneTooMany);
            }
            for (SocketChannel stranger : strangers) {
                stranger.close();
            }
            Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> {
                try (Peer late = new Peer(fixture.openDevice())) {
                    late.device
                            .connect(
                                    listener.address(),
                                    late.config(),
                                    ByteBuffer.allocate(0),
                                    Duration.ofMillis(200).toNanos())
                            .toCompletableFuture()
                            .get();
                    return false;
                } catch (java.util.concurrent.ExecutionException e) {
                    // The handler never answers, so the deadline ends this attempt and not a closed socket.
                    return e.getMessage().contains("200 ms");
                }
            });
        }
    }

    @Test
    void shouldCloseSocketsThatSayNothing() throws Exception {
        try (RdmaListener listener = peers.target.device.listen(fixture.unusedAddress(), request -> {});
                SocketChannel silent = SocketChannel.open(UnixDomainSocketAddress.of(listener.address()))) {
            long startNs = System.nanoTime();
            awaitEnd(silent);
            assertThat(System.nanoTime() - startNs)
                    .isBetween(ShmDevice.HANDSHAKE_DEADLINE_NS / 2, 3 * ShmDevice.HANDSHAKE_DEADLINE_NS);
        }
    }
}
