// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.slipstream.broker.client.ControlClient;
import io.slipstream.broker.client.RingClient;
import io.slipstream.broker.client.RingClient.Reply;
import io.slipstream.broker.client.TestProvider;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.broker.ring.RingFrameIn;
import io.slipstream.broker.session.ObservedChannel;
import io.slipstream.broker.session.ObservedConnection;
import io.slipstream.broker.session.ScriptedLifetime;
import io.slipstream.protocol.control.ControlCodec;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.ring.RingFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The whole plugin except Kafka's request handling, over real shared memory and a real control socket. */
@Timeout(60)
class PluginServerTest {
    private static final int CREDITS = 32;

    private final long seed = System.nanoTime();
    private final PluginMeters counters = new PluginMeters();
    private final EchoLine line = new EchoLine(seed);
    private Path directory;
    private PluginServer server;
    private Path socket;

    @BeforeEach
    void start(@TempDir Path temporary) throws IOException {
        directory = temporary.resolve("s");
        server = start(Map.of());
        socket = directory.resolve("cluster.7.sock");
    }

    private PluginServer start(Map<String, Object> settings) throws IOException {
        Map<String, Object> originals = new HashMap<>(Map.of(
                "slipstream.directory", directory.toString(),
                "slipstream.provider", TestProvider.NAME,
                "slipstream.control.address", "",
                "slipstream.ring.bytes", "65536",
                "slipstream.max.links", "4",
                "slipstream.max.sessions", "3",
                "slipstream.ring.credits", Integer.toString(CREDITS)));
        originals.putAll(settings);
        return PluginServer.start(line, line.describe(originals, originals), counters);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private void observe(String connectionId, String softwareName) {
        server.sessions().onApiVersions(EchoLine.connection(connectionId, softwareName));
    }

    @Test
    void shouldEchoRandomFramesOverManyLaps() throws Exception {
        Random random = new Random(seed);
        System.out.println("seed " + seed);
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, CREDITS)) {
            int[] sessions = {ring.bind(name -> observe("a", name)), ring.bind(name -> observe("b", name))};
            ArrayDeque<Long> sequences = new ArrayDeque<>();
            Map<Long, byte[]> sent = new HashMap<>();
            for (int i = 0; i < 5000; i++) {
                byte[] payload = new byte[random.nextInt(random.nextInt(20) == 0 ? 30_000 : 600)];
                random.nextBytes(payload);
                while (sequences.size() >= CREDITS) {
                    verify(ring, sequences.removeFirst(), sent);
                }
                long sequence = ring.send(sessions[i % 2], ByteBuffer.wrap(payload));
                sequences.addLast(sequence);
                sent.put(sequence, payload);
            }
            while (!sequences.isEmpty()) {
                verify(ring, sequences.removeFirst(), sent);
            }
            assertThat(ring.allSpaceReleased()).isTrue();
        }
        assertThat(counters.get(PluginMeter.REQUESTS_LANDED)).isEqualTo(5000);
        assertThat(counters.get(PluginMeter.RESPONSES_SENT)).isEqualTo(5000);
    }

    private static void verify(RingClient ring, long sequence, Map<Long, byte[]> sent) {
        Reply reply = ring.await(sequence);
        assertThat(reply.flags()).isZero();
        assertThat(reply.payload().array()).isEqualTo(sent.remove(sequence));
    }

    /** The proxy changes the request while the broker handles it. */
    @ParameterizedTest
    @CsvSource({"'', false", "PLAINTEXT, true", "*, true"})
    void shouldHandleWhatAnUntrustedProxyHadLanded(String untrusted, boolean isCopied) throws Exception {
        server.close();
        server = start(Map.of("slipstream.untrusted.listeners", untrusted));
        CountDownLatch handling = new CountDownLatch(1);
        CountDownLatch changed = new CountDownLatch(1);
        line.beforeAnswer = frame -> {
            handling.countDown();
            pass(changed);
        };
        byte[] payload = new byte[3000];
        new Random(seed).nextBytes(payload);
        byte[] zeros = new byte[payload.length];
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, CREDITS)) {
            int session = ring.bind(name -> observe("a", name));
            long sequence = ring.send(session, ByteBuffer.wrap(payload));
            pass(handling);
            ring.scribble(RingFrame.HEADER_BYTES, ByteBuffer.wrap(zeros));
            changed.countDown();

            assertThat(ring.await(sequence).payload().array()).isEqualTo(isCopied ? payload : zeros);
        }
        assertThat(counters.get(PluginMeter.REQUEST_BYTES_COPIED)).isEqualTo(isCopied ? payload.length : 0);
    }

    @Test
    void shouldTakeAFrameAsLargeAsTheRing() throws Exception {
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, CREDITS)) {
            int session = ring.bind(name -> observe("a", name));
            for (int i = 0; i < 5; i++) {
                ring.await(ring.send(session, ByteBuffer.allocate(100 + i)));
                assertThat(ring.hello.maxFrameBytes()).isEqualTo(65536 - RingFrame.HEADER_BYTES);
                Reply reply = ring.await(ring.send(session, ByteBuffer.allocate(ring.hello.maxFrameBytes())));
                assertThat(reply.payload().capacity()).isEqualTo(ring.hello.maxFrameBytes());
            }
        }
    }

    @Test
    void shouldRingDoorbellsOnceEach() throws Exception {
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, CREDITS)) {
            line.doorbell.accept(0);
            line.doorbell.accept(99);

            assertThat(ring.awaitDoorbells(2)).containsExactlyInAnyOrder(0, 99);
        }
    }

    @Test
    void shouldBreakTheLinkOnEachKindOfIllegalFrame() throws Exception {
        ByteBuffer payload = ByteBuffer.allocate(10);
        illegal(ring -> ring.write(0, 0, 0, 1, payload));
        illegal(ring -> ring.write(0, RingFrame.MAGIC, 1, 1, payload));
        illegal(ring -> ring.write(64, RingFrame.MAGIC, 0, 1, payload));
        illegal(ring -> {
            // Do not wait for answers: soon too many requests are unanswered, or too many answers unread.
            int frames = 0;
            while (frames < 1000 && ring.write(64L * frames, RingFrame.MAGIC, frames, 12345, payload) >= 0) {
                frames++;
            }
        });
        await().atMost(Duration.ofSeconds(10)).until(() -> counters.get(PluginMeter.LINKS_CLOSED) == 4);
        assertThat(counters.get(PluginMeter.LINKS_BROKEN)).isEqualTo(4);
    }

    private interface Misdeed {
        void commit(RingClient ring) throws Exception;
    }

    private void illegal(Misdeed misdeed) throws Exception {
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, CREDITS)) {
            misdeed.commit(ring);
            ring.awaitBroken();
        }
    }

    @Test
    void shouldGiveMemoryAndLinksBackWhenProxiesGo() throws Exception {
        for (int i = 0; i < 20; i++) {
            try (ControlClient control = new ControlClient(socket);
                    RingClient ring = new RingClient(control, CREDITS)) {
                int session = ring.bind(name -> observe("a", name));
                ring.await(ring.send(session, ByteBuffer.allocate(100)));
            }
            int closed = i + 1;
            // max.links is 4: if links were not freed, the fifth round would be refused.
            await().atMost(Duration.ofSeconds(10)).until(() -> counters.get(PluginMeter.LINKS_CLOSED) == closed);
        }
        assertThat(counters.get(PluginMeter.SESSIONS_ENDED)).isEqualTo(20);
    }

    @Test
    void shouldHandNothingMoreToTheBrokerOnceTheProxyIsGone() throws Exception {
        BlockingQueue<RingFrameIn> handled = new LinkedBlockingQueue<>();
        CountDownLatch isBusy = new CountDownLatch(1);
        CountDownLatch isGone = new CountDownLatch(1);
        line.beforeAnswer = frame -> {
            handled.add(frame);
            pass(isGone);
        };
        try (ControlClient control = new ControlClient(socket);
                ControlClient other = new ControlClient(socket)) {
            RingClient ring = new RingClient(control, CREDITS);
            int session = ring.bind(name -> observe("a", name));
            ring.send(session, ByteBuffer.allocate(100));
            ring.send(session, ByteBuffer.allocate(100));
            RingFrameIn first = handled.poll(10, TimeUnit.SECONDS);
            // The control thread attaches another proxy's link meanwhile, so it learns of the end later than the queue
            // pair does.
            line.beforeAttach = () -> {
                isBusy.countDown();
                pass(isGone);
            };
            Thread attaching = new Thread(() -> attach(other));
            attaching.start();
            pass(isBusy);
            ring.close();
            await().atMost(Duration.ofSeconds(10)).until(first.link()::isOver);
            isGone.countDown();
            attaching.join(10_000);
        }
        await().atMost(Duration.ofSeconds(10)).until(() -> counters.get(PluginMeter.LINKS_CLOSED) == 2);
        server.close();
        assertThat(handled).as("after the first").isEmpty();
    }

    private static void attach(ControlClient control) {
        try (RingClient ring = new RingClient(control, CREDITS)) {
            assertThat(ring.linkId).isPositive();
        } catch (Exception e) {
            throw new AssertionError("the other link was not attached", e);
        }
    }

    private static void pass(Semaphore gate) {
        try {
            assertThat(gate.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void pass(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldPostAnAnswerBeforeTheNextRequestOfAnIdempotentProducerIsHandled() throws Exception {
        assertThat(answersPostedWhileTheThirdIsHandled(true)).isEqualTo(2);
    }

    @Test
    void shouldPostAnswersTogetherWhereNobodyCountsBatches() throws Exception {
        assertThat(answersPostedWhileTheThirdIsHandled(false)).isLessThan(2);
    }

    /** Sends three requests of one session. The second and third arrive before the first is answered. */
    private long answersPostedWhileTheThirdIsHandled(boolean acksAll) throws Exception {
        Semaphore handled = new Semaphore(0);
        Semaphore mayBeAnswered = new Semaphore(0);
        line.answersAtOnce = true;
        line.beforeAnswer = frame -> {
            frame.session().setAcksAll(acksAll);
            handled.release();
            pass(mayBeAnswered);
        };
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, CREDITS)) {
            int session = ring.bind(name -> observe("a", name));
            for (int i = 0; i < 3; i++) {
                ring.send(session, ByteBuffer.allocate(100));
            }
            mayBeAnswered.release(2);
            assertThat(handled.tryAcquire(3, 10, TimeUnit.SECONDS)).isTrue();
            long posted = counters.get(PluginMeter.RESPONSES_SENT);
            mayBeAnswered.release();
            await().atMost(Duration.ofSeconds(10)).until(() -> counters.get(PluginMeter.RESPONSES_SENT) == 3);
            return posted;
        }
    }

    @Test
    void shouldRefuseMoreThanItsBounds() throws Exception {
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, CREDITS)) {
            for (int i = 0; i < 3; i++) {
                ControlResponse.OpenLink open =
                        control.ask(new ControlRequest.OpenLink(4096, 1), ControlResponse.OpenLink.class);
                assertThat(open.error()).isEqualTo(ControlError.NONE);
            }
            ControlResponse.OpenLink fifth =
                    control.ask(new ControlRequest.OpenLink(4096, 1), ControlResponse.OpenLink.class);
            assertThat(fifth.error()).isEqualTo(ControlError.LIMIT);
            assertThat(fifth.message()).contains("slipstream.max.links");
            for (int bytes : new int[] {0, -1, 4097, 1 << 20}) {
                assertThat(control.ask(new ControlRequest.OpenLink(bytes, 1), ControlResponse.OpenLink.class)
                                .error())
                        .isEqualTo(ControlError.LIMIT);
            }
            for (int i = 0; i < 3; i++) {
                int connection = i;
                ring.bind(name -> observe("c" + connection, name));
            }
            assertThatThrownBy(() -> ring.bind(name -> observe("c4", name)))
                    .hasMessageContaining("slipstream.max.sessions");
            server.sessions().onDisconnect("c0");
            await().atMost(Duration.ofSeconds(10)).until(() -> counters.get(PluginMeter.SESSIONS_ENDED) == 1);
            ring.bind(name -> observe("c5", name));
        }
    }

    @Test
    void shouldNotBindConnectionsThatClosed() throws Exception {
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, CREDITS)) {
            assertThat(confirm(control, ring, nonce -> {
                        observe("gone", nonce);
                        server.sessions().onDisconnect("gone");
                    }))
                    .isEqualTo(ControlError.NOT_BOUND);
            assertThat(confirm(control, ring, nonce -> observe("x", "slipstream-" + "0".repeat(32))))
                    .isEqualTo(ControlError.NOT_BOUND);
        }
    }

    @Test
    void shouldCloseTheConnectionOfASessionThatExpired() throws Exception {
        AtomicBoolean isOver = new AtomicBoolean();
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, CREDITS)) {
            assertThat(confirm(control, ring, nonce -> server.sessions().onApiVersions(ofSasl("sasl", nonce))))
                    .as("the expiry is unknown")
                    .isEqualTo(ControlError.NOT_BOUND);
            int session = ring.bind(nonce -> {
                server.sessions().onReceived(new ObservedChannel("sasl", new ScriptedLifetime(isOver)));
                server.sessions().onApiVersions(ofSasl("sasl", nonce));
            });
            assertThat(ring.await(ring.send(session, ByteBuffer.allocate(100))).flags())
                    .isZero();

            isOver.set(true);
            assertThat(ring.await(ring.send(session, ByteBuffer.allocate(100))).flags())
                    .isEqualTo(RingFrame.FLAG_CLOSE_CONNECTION);
            assertThat(control.ask(
                                    new ControlRequest.Locate(
                                            ring.linkId, session, Uuid.ZERO_UUID, "topic", 0, 0, -1, -1),
                                    ControlResponse.Locate.class)
                            .error())
                    .isEqualTo(ControlError.UNKNOWN_HANDLE);
            isOver.set(false);
            assertThat(ring.await(ring.send(session, ByteBuffer.allocate(100))).flags())
                    .as("the session stays closed")
                    .isEqualTo(RingFrame.FLAG_CLOSE_CONNECTION);
        }
    }

    private static ObservedConnection ofSasl(String id, String nonce) {
        return new ObservedConnection(id, nonce, "CLIENTS", "User:alice", true, nonce);
    }

    @Test
    void shouldLeaveListenersAndPrincipalsToTcpThatAreExcluded() throws Exception {
        server.close();
        server = start(Map.of(
                "listeners", "PLAINTEXT://:9092,CLIENTS://:9093",
                "slipstream.listeners.excluded", "clients",
                "slipstream.principals.excluded", "User:bob;User:CN=carol,O=Example"));
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, CREDITS)) {
            assertThatThrownBy(() -> bind(ring, "CLIENTS", "User:alice"))
                    .hasMessageContaining("slipstream.listeners.excluded names CLIENTS");
            assertThatThrownBy(() -> bind(ring, "PLAINTEXT", "User:CN=carol,O=Example"))
                    .hasMessageContaining("slipstream.principals.excluded names User:CN=carol,O=Example");
            assertThat(confirm(
                            control,
                            ring,
                            nonce -> server.sessions()
                                    .onApiVersions(
                                            new ObservedConnection("c", nonce, "PLAINTEXT", "User:bob", false, nonce))))
                    .isEqualTo(ControlError.RDMA_OFF);
            bind(ring, "PLAINTEXT", "User:alice");
        }
    }

    private void bind(RingClient ring, String listener, String principal) throws Exception {
        ring.bind(nonce ->
                server.sessions().onApiVersions(new ObservedConnection("c", nonce, listener, principal, false, nonce)));
    }

    private static ControlError confirm(ControlClient control, RingClient ring, RingClient.NonceCarrier carrier)
            throws IOException {
        String nonce = control.ask(new ControlRequest.BeginSession(ring.linkId), ControlResponse.BeginSession.class)
                .nonce();
        carrier.apiVersions(nonce);
        return control.ask(new ControlRequest.ConfirmSession(ring.linkId, nonce), ControlResponse.ConfirmSession.class)
                .error();
    }

    @Test
    void shouldKeepLinksOfOtherControlConnectionsApart() throws Exception {
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, CREDITS);
                ControlClient other = new ControlClient(socket)) {
            other.ask(new ControlRequest.Hello("other", "1"), ControlResponse.Hello.class);

            assertThat(other.ask(new ControlRequest.BeginSession(ring.linkId), ControlResponse.BeginSession.class)
                            .error())
                    .isEqualTo(ControlError.UNKNOWN_HANDLE);
            assertThat(other.ask(
                                    new ControlRequest.AttachLink(
                                            ring.linkId, io.slipstream.protocol.control.RemoteMemory.NONE),
                                    ControlResponse.AttachLink.class)
                            .error())
                    .isEqualTo(ControlError.UNKNOWN_HANDLE);
        }
    }

    @Test
    void shouldCloseControlConnectionsOnGarbage() throws Exception {
        Random random = new Random(seed);
        for (int round = 0; round < 50; round++) {
            byte[] garbage = new byte[1 + random.nextInt(200)];
            random.nextBytes(garbage);
            garbage[0] |= (byte) 0x80; // a negative size
            closed(ByteBuffer.wrap(garbage));
        }
        closed(ByteBuffer.allocate(4).putInt(ControlCodec.MAX_FRAME_BYTES + 1).flip());
        closed(ByteBuffer.allocate(8).putInt(4).putInt(1).flip());
        closed(ControlCodec.encodeRequest(0, new ControlRequest.OpenLink(4096, 1)));
        try (ControlClient control = new ControlClient(socket)) {
            assertThat(control.ask(new ControlRequest.Hello("fine", "1"), ControlResponse.Hello.class)
                            .error())
                    .isEqualTo(ControlError.NONE);
        }
    }

    private void closed(ByteBuffer bytes) throws IOException {
        try (ControlClient control = new ControlClient(socket)) {
            control.write(bytes);
            control.awaitClose();
        }
    }

    @Test
    void shouldCloseControlConnectionsThatDoNotGreet() throws Exception {
        try (ControlClient control = new ControlClient(socket)) {
            long startNs = System.nanoTime();
            control.awaitClose();
            assertThat(Duration.ofNanos(System.nanoTime() - startNs)).isLessThan(Duration.ofSeconds(15));
        }
    }

    @Test
    void shouldReplaceStaleSocketsAndLeaveNoneBehind() throws Exception {
        server.close();
        Files.createFile(socket);
        server = start(Map.of());
        try (ControlClient control = new ControlClient(socket)) {
            control.ask(new ControlRequest.Hello("fine", "1"), ControlResponse.Hello.class);
            assertThat(Files.getPosixFilePermissions(socket)).hasSize(2);
        }
        server.close();
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void shouldRefuseADirectoryThatOthersCanEnter() throws Exception {
        Path open = Files.createDirectory(directory.resolve("open"));
        Files.setPosixFilePermissions(open, java.nio.file.attribute.PosixFilePermissions.fromString("rwxr-xr-x"));

        assertThatThrownBy(() -> start(Map.of("slipstream.directory", open.toString())))
                .hasMessageContaining(open.toString())
                .hasMessageContaining("chmod 700");
        assertThatThrownBy(() -> start(Map.of("slipstream.directory", "/proc/no/such")))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> start(Map.of("slipstream.directory", directory + "/" + "x".repeat(100))))
                .hasMessageContaining("shorten");
    }
}
