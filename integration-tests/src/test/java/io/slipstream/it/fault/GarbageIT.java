// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.raw.RawClient;
import io.slipstream.it.Seed;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * Unknown peers send garbage to every port while stock clients produce and consumethrough the same proxy and plugin.
 * The peers are disconnected, and the clients are unaffected.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class GarbageIT {
    private static final int RECORDS = 20_000;
    private static final int ATTEMPTS = 30;
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final Random random = new Random(Seed.ofRun());
    private BrokerProcess broker;
    private ProxyProcess proxy;

    @BeforeAll
    void start() {
        broker = BrokerProcess.builder(BrokerLine.NEWEST).withAgent().start();
        proxy = Faults.startLinked(broker);
    }

    @AfterAll
    void stop() {
        Faults.close(proxy);
        Faults.close(broker);
    }

    @FunctionalInterface
    private interface Attack {
        void run() throws Exception;
    }

    private void whileStreaming(Attack attack) throws Exception {
        try (RecordStream stream = new RecordStream(broker.bootstrapServers(), "undisturbed", random)) {
            stream.consume(proxy.bootstrapServers());
            stream.produce(proxy.bootstrapServers(), RECORDS);
            stream.awaitAcknowledged(0.05);
            long pidOfBroker = broker.pid();

            attack.run();

            stream.verify();
            assertThat(broker.isAlive() && broker.pid() == pidOfBroker)
                    .as("broker alive")
                    .isTrue();
            assertThat(proxy.isAlive()).as("proxy alive").isTrue();
            Faults.assertMostlyByRdma(proxy, "PRODUCE");
        }
    }

    private ByteBuffer garbage(int sizeBytes) {
        byte[] bytes = new byte[sizeBytes];
        random.nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }

    private static ByteBuffer sizeOnly(int size) {
        return ByteBuffer.allocate(8).putInt(size).putInt(0).flip();
    }

    @Test
    void shouldCloseProxyConnectionsThatSendNoFrame() throws Exception {
        whileStreaming(() -> {
            List<ByteBuffer> openings = new ArrayList<>(List.of(
                    sizeOnly(-1),
                    sizeOnly(Integer.MIN_VALUE),
                    sizeOnly(Integer.MAX_VALUE),
                    sizeOnly(0),
                    sizeOnly(3),
                    ByteBuffer.wrap("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII)),
                    ByteBuffer.wrap(new byte[] {0x16, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc, 3, 3}))); // a TLS hello
            for (ByteBuffer opening : openings) {
                try (RawClient client =
                        RawClient.connect(proxy.bootstrapServers()).withTimeout(PATIENCE)) {
                    client.sendBytes(opening.duplicate());
                    assertThat(client.awaitClosed())
                            .as("closed after size %d", opening.getInt(0))
                            .isTrue();
                }
            }
        });
    }

    @Test
    void shouldSurviveGarbageOnTheProxysPort() throws Exception {
        whileStreaming(() -> {
            for (int i = 0; i < ATTEMPTS; i++) {
                // Starts with a plausible size, so that the garbage reaches the parsers of headers and bodies.
                int sizeBytes = 20 + random.nextInt(2_000);
                ByteBuffer frame = ByteBuffer.allocate(4 + sizeBytes).putInt(sizeBytes);
                frame.putShort((short) random.nextInt(3)).putShort((short) random.nextInt(20));
                frame.putInt(i).put(garbage(sizeBytes - 8)).flip();
                try (RawClient client =
                        RawClient.connect(proxy.bootstrapServers()).withTimeout(PATIENCE)) {
                    client.sendBytes(frame);
                    client.awaitClosed(); // the broker may also answer with an error
                }
            }
        });
    }

    @Test
    void shouldServeClientsDespiteHalfOpenConnections() throws Exception {
        List<RawClient> halfOpen = new ArrayList<>();
        try {
            whileStreaming(() -> {
                for (int i = 0; i < 200; i++) {
                    RawClient client = RawClient.connect(proxy.bootstrapServers());
                    halfOpen.add(client);
                    // Sends nothing, half a size, or a size without its frame.
                    client.sendBytes(sizeOnly(1_000_000).limit(new int[] {0, 2, 8}[i % 3]));
                }
            });
        } finally {
            for (RawClient client : halfOpen) {
                client.close();
            }
        }
    }

    @Test
    void shouldCloseControlConnectionsThatDoNotSayHello() throws Exception {
        whileStreaming(() -> {
            sendTo(broker.pluginSocket(), sizeOnly(-1));
            sendTo(broker.pluginSocket(), sizeOnly(Integer.MAX_VALUE));
            for (int i = 0; i < ATTEMPTS; i++) {
                int sizeBytes = 8 + random.nextInt(500);
                sendTo(
                        broker.pluginSocket(),
                        ByteBuffer.allocate(4 + sizeBytes)
                                .putInt(sizeBytes)
                                .putShort((short) random.nextInt(10))
                                .putShort((short) random.nextInt(2))
                                .put(garbage(sizeBytes - 4))
                                .flip());
            }
        });
    }

    @Test
    void shouldSurviveGarbageOnEverySocketOfThePlugin() throws Exception {
        whileStreaming(() -> {
            List<Path> sockets;
            try (var files = Files.walk(broker.slipstreamDirectory())) {
                sockets = files.filter(file -> !Files.isDirectory(file) && !Files.isRegularFile(file))
                        .toList();
            }
            assertThat(sockets).as("sockets of the plugin").isNotEmpty();
            for (Path socket : sockets) {
                for (int i = 0; i < ATTEMPTS; i++) {
                    sendTo(socket, garbage(1 + random.nextInt(4_000)));
                }
            }
        });
    }

    /** Connects, sends and disconnects; a refusal or reset is acceptable. */
    private static void sendTo(Path socket, ByteBuffer bytes) {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.shutdownOutput();
            ByteBuffer answer = ByteBuffer.allocate(1 << 16);
            while (channel.read(answer.clear()) >= 0) {
                assertThat(answer.position()).isPositive(); // until the plugin closes too
            }
        } catch (IOException refused) {
            assertThat(refused).isNotNull();
        }
    }
}
