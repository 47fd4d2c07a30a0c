// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.slipstream.link.meter.Meter;
import io.slipstream.protocol.control.ControlApi;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.proxy.ring.ProduceFrames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ProduceByRdmaTest {
    private static final Duration SOON = Duration.ofSeconds(10);

    private FastPathFixture fixture;
    private PluginPeer peer;
    private TestClient client;

    /** The provider; the tests must pass with each. */
    String provider() {
        return FastPathFixture.ANY_MEMORY;
    }

    @BeforeEach
    void start() throws IOException {
        fixture = new FastPathFixture(provider());
        peer = fixture.peer();
        client = fixture.client(peer);
    }

    @AfterEach
    void stop() throws IOException {
        peer.run(() -> peer.links.values().forEach(PeerLink::check));
        client.close();
        fixture.close();
        peer.close();
    }

    private void restart(FastPathFixture with) throws IOException {
        stop();
        fixture = with;
        peer = fixture.peer();
        client = fixture.client(peer);
    }

    private PeerLink.Landed landed() {
        try {
            PeerLink.Landed frame = peer.landed.poll(10, TimeUnit.SECONDS);
            assertThat(frame).as("a frame landed").isNotNull();
            return frame;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void reply(PeerLink.Landed frame, int flags, String payload) {
        peer.run(() -> peer.link().reply(frame, flags, payload.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void shouldTellWhichRepliesNameNoBroker() {
        TestClient.Request first = client.submit(ProduceFrames.produce(1, 10));
        reply(landed(), RingFrame.FLAG_NAMES_NO_BROKER, "as it is");
        TestClient.Request second = client.submit(ProduceFrames.produce(2, 10));
        reply(landed(), 0, "to be read");

        assertThat(first.await().kind()).isEqualTo("respond");
        assertThat(first.namesNoBroker).isTrue();
        assertThat(second.await().kind()).isEqualTo("respond");
        assertThat(second.namesNoBroker).isFalse();
    }

    @Test
    void shouldCarryTheFrameByteForByteAndTheReplyBack() {
        byte[] frame = ProduceFrames.produce(7, 100);
        TestClient.Request request = client.submit(frame);
        PeerLink.Landed landed = landed();
        assertThat(landed.payload()).isEqualTo(frame);
        assertThat(peer.on(() -> peer.link().sessions)).containsExactly(landed.session());
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.RING_BYTES_IN_USE) >= frame.length);
        reply(landed, 0, "response");
        assertThat(request.await().kind()).isEqualTo("respond");
        assertThat(request.await().response()).asString().isEqualTo("response");
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.RING_BYTES_IN_USE) == 0);
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.TRANSPORT_IN_FLIGHT) == 0);
        // One frame of 64 bytes was read; little-endian.
        await().atMost(SOON)
                .until(() -> peer.on(() -> PeerLink.wordAt(peer.link().controlWord, 0))
                        .equals("4000000000000000"));
        assertThat(client.nonces).hasSize(1);
        assertThat(fixture.meters.value(Meter.SESSIONS_BOUND)).isEqualTo(1);
    }

    @Test
    void shouldMatchRepliesBySequenceInAnyOrder() {
        List<TestClient.Request> requests = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            requests.add(client.submit(ProduceFrames.produce(i, 10 * i)));
        }
        List<PeerLink.Landed> frames = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            frames.add(landed());
        }
        for (int i = 3; i >= 0; i--) {
            reply(frames.get(i), 0, "answer " + i);
        }
        for (int i = 0; i < 4; i++) {
            assertThat(requests.get(i).await().response()).asString().isEqualTo("answer " + i);
        }
    }

    @Test
    void shouldPassOnNoResponseAndClose() {
        TestClient.Request silent = client.submit(ProduceFrames.produce(1, 1));
        TestClient.Request closing = client.submit(ProduceFrames.produce(2, 1));
        reply(landed(), RingFrame.FLAG_NO_RESPONSE, "");
        reply(landed(), RingFrame.FLAG_CLOSE_CONNECTION, "");
        assertThat(silent.await().kind()).isEqualTo("nothing");
        assertThat(closing.await().kind()).startsWith("close:");
    }

    @Test
    void shouldKeepManyFramesOfManySizesWholeThroughSmallRings() {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        Random random = new Random(seed);
        int total = 2000;
        List<byte[]> sent = new ArrayList<>();
        List<TestClient.Request> pending = new ArrayList<>();
        for (int i = 0; i < total; i++) {
            byte[] frame = ProduceFrames.produce(i, random.nextInt(3000));
            sent.add(frame);
            pending.add(client.submit(frame));
            if (pending.size() == 20 || i == total - 1) {
                for (int k = 0; k < pending.size(); k++) {
                    PeerLink.Landed landed = landed();
                    int index = sent.size() - pending.size() + k;
                    assertThat(landed.payload())
                            .as("seed %d frame %d", seed, index)
                            .isEqualTo(sent.get(index));
                    reply(landed, 0, "x".repeat(random.nextInt(900)));
                }
                pending.forEach(request -> assertThat(request.await().kind()).isEqualTo("respond"));
                pending.clear();
            }
        }
        assertThat(peer.on(() -> peer.link().mostUnanswered)).isGreaterThan(1).isLessThanOrEqualTo(PluginPeer.CREDITS);
        assertThat(fixture.meters.latency(Meter.TRANSPORT_LATENCY, "write").count())
                .as("one in 16 of the writes that give the reply ring back")
                .isPositive();
    }

    @Test
    void shouldHoldBackWhatFollowsAFallbackUntilTheRingHasAnswered() {
        TestClient.Request first = client.submit(ProduceFrames.produce(1, 10));
        PeerLink.Landed landed = landed();
        TestClient.Request tooLarge = client.submit(ProduceFrames.produce(2, PluginPeer.RING_BYTES));
        TestClient.Request behind = client.submit(ProduceFrames.produce(3, 10));
        client.on(() -> null);
        assertThat(tooLarge.answer).isNotDone();
        assertThat(behind.answer).isNotDone();
        reply(landed, 0, "ok");
        assertThat(tooLarge.await().kind()).isEqualTo("fallBack:FRAME_TOO_LARGE");
        assertThat(behind.await().kind()).startsWith("fallBack:");
        assertThat(first.answer).isDone();
        TestClient.Request after = client.submit(ProduceFrames.produce(4, 10));
        reply(landed(), 0, "ok");
        assertThat(after.await().kind()).isEqualTo("respond");
    }

    @Test
    void shouldLetNothingOvertakeAWaitingRequestThatTakesTcp() {
        List<TestClient.Request> requests = client.on(() -> List.of(
                client.submitNow(ProduceFrames.produce(1, 10)),
                client.submitNow(ProduceFrames.produce(2, PluginPeer.RING_BYTES)),
                client.submitNow(ProduceFrames.produce(3, 10))));
        reply(landed(), 0, "ok");

        assertThat(requests.get(0).await().kind()).isEqualTo("respond");
        assertThat(requests.get(1).await().kind()).isEqualTo("fallBack:FRAME_TOO_LARGE");
        assertThat(requests.get(2).await().kind()).isEqualTo("fallBack:FRAME_TOO_LARGE");
        assertThat(peer.landed).isEmpty();
    }

    @Test
    void shouldLetNothingOvertakeTheFirstWaitingRequestThatTakesTcp() {
        List<TestClient.Request> requests = client.on(() -> List.of(
                client.submitNow(ProduceFrames.produce(1, PluginPeer.RING_BYTES)),
                client.submitNow(ProduceFrames.produce(2, 10))));

        assertThat(requests.get(0).await().kind()).isEqualTo("fallBack:FRAME_TOO_LARGE");
        assertThat(requests.get(1).await().kind()).isEqualTo("fallBack:FRAME_TOO_LARGE");
        assertThat(peer.landed).isEmpty();
    }

    @Test
    void shouldFallBackInOrderWhenCreditsStayExhausted() throws IOException {
        restart(new FastPathFixture(provider(), 300, 10_000, 10_000));
        List<TestClient.Request> requests = new ArrayList<>();
        for (int i = 0; i < PluginPeer.CREDITS + 2; i++) {
            requests.add(client.submit(ProduceFrames.produce(i, 10)));
        }
        List<PeerLink.Landed> frames = new ArrayList<>();
        for (int i = 0; i < PluginPeer.CREDITS; i++) {
            frames.add(landed());
        }
        TestClient other = fixture.client(peer);
        TestClient.Request others = other.submit(ProduceFrames.produce(99, 10));
        assertThat(others.await().kind())
                .as("nothing of its own is in the ring")
                .isEqualTo("fallBack:RING_FULL");
        assertThat(requests.get(PluginPeer.CREDITS).answer).isNotDone();
        frames.forEach(frame -> reply(frame, 0, "ok"));
        assertThat(requests.get(PluginPeer.CREDITS).await().kind()).isEqualTo("fallBack:RING_FULL");
        assertThat(requests.get(PluginPeer.CREDITS + 1).await().kind()).isEqualTo("fallBack:RING_FULL");
        assertThat(fixture.meters.value(Meter.CREDITS_EXHAUSTED, "waited")).isEqualTo(3);
        assertThat(fixture.meters.value(Meter.CREDITS_EXHAUSTED, "fell_back")).isEqualTo(3);
        assertThat(fixture.meters.value(Meter.PRODUCE_BYTES)).isPositive();
        assertThat(fixture.meters.value(Meter.GRANTS_GRANTED, "session")).isEqualTo(2);
        other.close();
    }

    @Test
    void shouldCloseClientsWithUnknownOutcomeAndRecoverWhenTheQueuePairBreaks() {
        TestClient.Request written = client.submit(ProduceFrames.produce(1, 10));
        landed();
        peer.run(() -> peer.link().queuePair.disconnect("test"));
        assertThat(written.await().kind()).startsWith("close:");
        peer.run(peer.links::clear);
        TestClient next = fixture.client(peer);
        await().atMost(SOON).until(() -> {
            TestClient.Request again = next.submit(ProduceFrames.produce(2, 10));
            await().atMost(SOON).until(() -> again.answer.isDone() || !peer.landed.isEmpty());
            if (again.answer.isDone()) {
                assertThat(again.await().kind()).isEqualTo("fallBack:LINK_DOWN");
                return false;
            }
            reply(landed(), 0, "ok");
            return again.await().kind().equals("respond");
        });
        next.close();
    }

    @Test
    void shouldBreakTheLinkWhenThePluginBreaksTheRules() {
        TestClient.Request written = client.submit(ProduceFrames.produce(1, 10));
        landed();
        peer.run(() -> peer.link().raw(64, 64, RingFrame.immOf(64)));
        assertThat(written.await().kind()).startsWith("close:");
        assertThat(fixture.meters.value(Meter.LINK_FAILURES, "protocol")).isEqualTo(1);
    }

    @Test
    void shouldFallBackAtOnceWithoutAPluginAndFindItLater() throws IOException {
        peer.close();
        TestClient.Request without = client.submit(ProduceFrames.produce(1, 10));
        assertThat(without.await().kind()).isEqualTo("fallBack:NO_PLUGIN");
        java.nio.file.Files.deleteIfExists(
                fixture.directory.resolve(PluginPeer.CLUSTER + "." + PluginPeer.NODE + ".sock"));
        peer = fixture.peer();
        TestClient next = fixture.client(peer);
        await().atMost(SOON).until(() -> {
            TestClient.Request again = next.submit(ProduceFrames.produce(2, 10));
            await().atMost(SOON).until(() -> again.answer.isDone() || !peer.landed.isEmpty());
            return !again.answer.isDone();
        });
        reply(landed(), 0, "ok");
        next.close();
    }

    @Test
    void shouldLeaveToTcpInOrderWhatTheBrokerLeavesThere() {
        List<TestClient.Request> requests = new ArrayList<>();
        List<PeerLink.Landed> frames = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            requests.add(client.submit(ProduceFrames.produce(i, 10)));
            frames.add(landed());
        }
        reply(frames.get(1), RingFrame.FLAG_TAKE_TCP, "");
        reply(frames.get(2), RingFrame.FLAG_TAKE_TCP, "");
        assertThat(requests.get(1).answer).as("before the one in front of it").isNotDone();
        reply(frames.get(0), 0, "ok");

        assertThat(requests.get(0).await().response()).asString().isEqualTo("ok");
        assertThat(requests.get(1).await().kind()).isEqualTo("fallBack:RDMA_OFF");
        assertThat(requests.get(2).await().kind()).isEqualTo("fallBack:RDMA_OFF");
        assertThat(client.submit(ProduceFrames.produce(3, 10)).await().kind()).isEqualTo("fallBack:RDMA_OFF");
        assertThat(peer.landed).isEmpty();
    }

    @Test
    void shouldNotAskAgainOnAListenerThatIsNotSupported() {
        peer.run(() -> peer.refusals.put(ControlApi.CONFIRM_SESSION, ControlError.RDMA_OFF));
        TestClient.Request first = client.submit(ProduceFrames.produce(1, 10));
        assertThat(first.await().kind()).isEqualTo("fallBack:RDMA_OFF");
        int asked = peer.on(() -> peer.requests.size());
        TestClient.Request second = client.submit(ProduceFrames.produce(2, 10));
        assertThat(second.await().kind()).isEqualTo("fallBack:RDMA_OFF");
        assertThat(peer.on(() -> peer.requests.size())).isEqualTo(asked);
    }

    @Test
    void shouldNotLetRequestsWaitForeverForTheBinding() throws IOException {
        restart(new FastPathFixture(provider(), 10_000, 500, 10_000));
        client.upstreamStalls = true;
        TestClient.Request first = client.submit(ProduceFrames.produce(1, 10));
        TestClient.Request second = client.submit(ProduceFrames.produce(2, 10));
        assertThat(first.await().kind()).isEqualTo("fallBack:SESSION_NOT_BOUND");
        assertThat(second.await().kind()).isEqualTo("fallBack:SESSION_NOT_BOUND");
        long start = System.nanoTime();
        assertThat(client.submit(ProduceFrames.produce(3, 10)).await().kind()).isEqualTo("fallBack:SESSION_NOT_BOUND");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(250));
    }

    @Test
    void shouldWaitLessForTheLinkThanForTheSession() throws IOException {
        restart(new FastPathFixture(provider(), 10_000, 8_000, 10_000));
        peer.run(() -> peer.ignored.add(ControlApi.OPEN_LINK));
        long start = System.nanoTime();

        assertThat(client.submit(ProduceFrames.produce(1, 10)).await().kind()).isEqualTo("fallBack:SESSION_NOT_BOUND");

        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isBetween(Duration.ofMillis(1_900), Duration.ofMillis(7_500));
    }

    @Test
    void shouldKeepTheOrderOfWaitingRequestsWhenTheirTimerIsLate() throws IOException {
        restart(new FastPathFixture(provider(), 10_000, 0, 10_000));
        peer.run(() -> peer.ignored.add(ControlApi.BEGIN_SESSION));
        // In one step of the event loop, as after a suspension of the process: the first wait is over but its timer has
        // not run.
        List<TestClient.Request> requests = new ArrayList<>();
        boolean overtaken = client.on(() -> {
            requests.add(client.submitNow(ProduceFrames.produce(1, 10)));
            assertThat(requests.get(0).answer).as("waits").isNotDone();
            requests.add(client.submitNow(ProduceFrames.produce(2, 10)));
            return requests.get(1).answer.isDone() && !requests.get(0).answer.isDone();
        });

        assertThat(overtaken).isFalse();
        for (TestClient.Request request : requests) {
            assertThat(request.await().kind()).isEqualTo("fallBack:SESSION_NOT_BOUND");
        }
    }

    @Test
    void shouldMuteWhileTheBrokerThrottles() {
        client.submit(ProduceFrames.produce(1, 10));
        PeerLink.Landed landed = landed();
        peer.run(() -> peer.link().throttle(landed.session(), true));
        await().atMost(SOON).until(() -> client.on(client.fastPath::isMuted));
        peer.run(() -> peer.link().throttle(landed.session(), false));
        await().atMost(SOON).until(() -> !client.on(client.fastPath::isMuted));
        assertThat(client.muteChanges).hasValue(2);
        reply(landed, 0, "ok");
    }

    @Test
    void shouldFinishInFlightAndThenUseTcpWhenSwitchedOff() {
        TestClient.Request inFlight = client.submit(ProduceFrames.produce(1, 10));
        PeerLink.Landed landed = landed();
        fixture.factory.setEnabled(false);
        TestClient.Request later = client.submit(ProduceFrames.produce(2, 10));
        client.on(() -> null);
        assertThat(later.answer).isNotDone();
        reply(landed, 0, "ok");
        assertThat(inFlight.await().kind()).isEqualTo("respond");
        assertThat(later.await().kind()).isEqualTo("fallBack:DISABLED");
    }

    @Test
    void shouldCloseTheSessionWithItsClient() {
        client.submit(ProduceFrames.produce(1, 10));
        PeerLink.Landed landed = landed();
        reply(landed, 0, "ok");
        client.close();
        await().atMost(SOON).until(() -> peer.on(() -> peer.closedSessions.contains(landed.session())));
        assertThat(fixture.meters.value(Meter.SESSIONS_BOUND)).isZero();
    }

    @Test
    void shouldOfferNothingOnEventLoopsThatCannotWaitForCompletions() {
        MultiThreadIoEventLoopGroup nio = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            TestClient onNio = new TestClient(nio.next(), peer, fixture.factory);
            assertThat(onNio.fastPath).isNull();
        } finally {
            nio.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }
}
