// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.broker.client.ControlClient;
import io.slipstream.broker.client.RingClient;
import io.slipstream.broker.client.RingClient.Reply;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.ring.RingFrameIn;
import io.slipstream.protocol.ring.RingFrame;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rings and links of the whole plugin: requests, answers, doorbells, illegal frames and the end of links. */
@Timeout(60)
class PluginServerTest extends PluginServerFixture {
    @Test
    void shouldEchoRandomFramesOverManyLaps() throws Exception {
        Random random = new Random(seed);
        System.out.println("seed " + seed);
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, CREDITS)) {
            int[] sessions = {ring.bind(nonce -> observe("a", nonce)), ring.bind(nonce -> observe("b", nonce))};
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
    @Test
    void shouldHandleTheRequestThatItTookWhateverTheProxyWritesLater() throws Exception {
        CountDownLatch handling = new CountDownLatch(1);
        CountDownLatch changed = new CountDownLatch(1);
        line.beforeAnswer = frame -> {
            handling.countDown();
            pass(changed);
        };
        byte[] payload = new byte[3000];
        new Random(seed).nextBytes(payload);
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, CREDITS)) {
            int session = ring.bind(nonce -> observe("a", nonce));
            long sequence = ring.send(session, ByteBuffer.wrap(payload));
            pass(handling);
            ring.scribble(RingFrame.HEADER_BYTES, ByteBuffer.allocate(payload.length));
            changed.countDown();

            assertThat(ring.await(sequence).payload().array()).isEqualTo(payload);
        }
    }

    @Test
    void shouldTakeAFrameAsLargeAsTheRing() throws Exception {
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, CREDITS)) {
            int session = ring.bind(nonce -> observe("a", nonce));
            for (int i = 0; i < 5; i++) {
                ring.await(ring.send(session, ByteBuffer.allocate(100 + i)));
                assertThat(ring.hello.maxFrameBytes()).isEqualTo(65536 - RingFrame.HEADER_BYTES);
                Reply reply = ring.await(ring.send(session, ByteBuffer.allocate(ring.hello.maxFrameBytes())));
                assertThat(reply.payload().capacity()).isEqualTo(ring.hello.maxFrameBytes());
            }
        }
    }

    @Test
    void shouldReadAnswersInFilesPartByPart() throws Exception {
        Queue<String> readers = new ConcurrentLinkedQueue<>();
        line.beforeRead = frame -> readers.add(Thread.currentThread().getName());
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, CREDITS)) {
            int session = ring.bind(nonce -> observe("a", nonce));
            ByteBuffer request = ByteBuffer.allocate(40_000);
            new Random(seed).nextBytes(request.array());
            assertThat(ring.await(ring.send(session, request)).payload()).isEqualTo(request.clear());
            assertThat(ring.largestPartBytes).isEqualTo(16_384 + Integer.BYTES);
            assertThat(ring.partFrames).isEqualTo(2);
        }
        assertThat(readers).containsExactly("echo", "echo", "echo");
    }

    @Test
    void shouldCloseTheConnectionIfAnAnswerCannotBeRead() throws Exception {
        AtomicInteger reads = new AtomicInteger();
        line.beforeRead = frame -> {
            if (reads.incrementAndGet() == 2) {
                throw new IllegalStateException("the segment is deleted");
            }
        };
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, CREDITS)) {
            int session = ring.bind(nonce -> observe("a", nonce));
            Reply reply = ring.await(ring.send(session, ByteBuffer.allocate(40_000)));
            assertThat(reply.flags()).isEqualTo(RingFrame.FLAG_CLOSE_CONNECTION);
            assertThat(ring.partFrames).isEqualTo(1);
        }
        await().atMost(Duration.ofSeconds(10)).until(() -> counters.get(PluginMeter.LINKS_OPEN) == 0);
    }

    @Test
    void shouldEndALinkWhoseAnswerIsNotReadToItsEnd() throws Exception {
        CountDownLatch linkEnded = new CountDownLatch(1);
        AtomicInteger reads = new AtomicInteger();
        line.beforeRead = frame -> {
            if (reads.incrementAndGet() == 2) {
                pass(linkEnded);
            }
        };
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, CREDITS)) {
            int session = ring.bind(nonce -> observe("a", nonce));
            ring.send(session, ByteBuffer.allocate(40_000));
            await().atMost(Duration.ofSeconds(10)).until(() -> reads.get() == 2);
        }
        linkEnded.countDown();
        await().atMost(Duration.ofSeconds(10)).until(() -> counters.get(PluginMeter.LINKS_OPEN) == 0);
    }

    /** One client's requests wait for their answers, as behind a stopped follower. */
    @Test
    void shouldLendRingAndCreditsOfUnansweredRequestsToOthers() throws Exception {
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, CREDITS)) {
            int waiting = ring.bind(name -> observe("a", name));
            int served = ring.bind(name -> observe("b", name));
            line.withholds = true;
            List<Long> sequences = new ArrayList<>();
            for (int i = 0; i < 2 * CREDITS; i++) {
                // Four times as much as the ring, with no answer that could tell of its space.
                sequences.add(ring.send(waiting, ByteBuffer.allocate(4000)));
            }
            ring.pollUntil("the release of all space", ring::allSpaceReleased);

            line.withholds = false;
            for (int i = 0; i < 5; i++) {
                ring.await(ring.send(served, ByteBuffer.allocate(ring.hello.maxFrameBytes())));
            }
            line.answerWithheld();
            sequences.forEach(ring::await);
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
            // Does not wait for answers: too many requests are soon unanswered, or too many answers unread.
            int frames = 0;
            while (frames < 1000 && ring.write(64L * frames, RingFrame.MAGIC, frames, 12345, payload) >= 0) {
                frames++;
            }
        });
        await().atMost(Duration.ofSeconds(10)).until(() -> counters.get(PluginMeter.LINKS_CLOSED) == 4);
        assertThat(counters.get(PluginMeter.LINKS_BROKEN)).isEqualTo(4);
    }

    private interface Violation {
        void commit(RingClient ring) throws Exception;
    }

    private void illegal(Violation violation) throws Exception {
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, CREDITS)) {
            violation.commit(ring);
            ring.awaitBroken();
        }
    }

    @Test
    void shouldReleaseMemoryAndLinksWhenProxiesDisconnect() throws Exception {
        for (int i = 0; i < 20; i++) {
            try (ControlClient control = new ControlClient(socket);
                    RingClient ring = new RingClient(control, CREDITS)) {
                int session = ring.bind(nonce -> observe("a", nonce));
                ring.await(ring.send(session, ByteBuffer.allocate(100)));
            }
            int closed = i + 1;
            // max.links is 4: if links were not freed, the fifth round would be refused.
            await().atMost(Duration.ofSeconds(10)).until(() -> counters.get(PluginMeter.LINKS_CLOSED) == closed);
        }
        assertThat(counters.get(PluginMeter.SESSIONS_ENDED)).isEqualTo(20);
    }

    @Test
    void shouldHandNoRequestToTheBrokerAfterTheProxyDisconnects() throws Exception {
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
            int session = ring.bind(nonce -> observe("a", nonce));
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
            await().atMost(Duration.ofSeconds(10)).until(first.link::isOver);
            isGone.countDown();
            attaching.join(10_000);
        }
        await().atMost(Duration.ofSeconds(10)).until(() -> counters.get(PluginMeter.LINKS_CLOSED) == 2);
        server.close();
        assertThat(handled).as("requests handled after the first").isEmpty();
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
    void shouldPostAnswersOneByOneForAnIdempotentProducer() throws Exception {
        assertThat(answersPostedWhileTheThirdIsHandled(true)).isEqualTo(2);
    }

    @Test
    void shouldPostAnswersTogetherForOtherProducers() throws Exception {
        assertThat(answersPostedWhileTheThirdIsHandled(false)).isLessThan(2);
    }

    /** Sends three requests of one session. The second and third arrive before the first is answered. */
    private long answersPostedWhileTheThirdIsHandled(boolean acksAll) throws Exception {
        Semaphore handled = new Semaphore(0);
        Semaphore mayBeAnswered = new Semaphore(0);
        line.answersAtOnce = true;
        line.beforeAnswer = frame -> {
            frame.session.setAcksAll(acksAll);
            handled.release();
            pass(mayBeAnswered);
        };
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, CREDITS)) {
            int session = ring.bind(nonce -> observe("a", nonce));
            ring.send(session, ByteBuffer.allocate(100));
            assertThat(handled.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
            ring.send(session, ByteBuffer.allocate(100));
            ring.send(session, ByteBuffer.allocate(100));
            mayBeAnswered.release(2);
            assertThat(handled.tryAcquire(2, 10, TimeUnit.SECONDS)).isTrue();
            long posted = counters.get(PluginMeter.RESPONSES_SENT);
            mayBeAnswered.release();
            await().atMost(Duration.ofSeconds(10)).until(() -> counters.get(PluginMeter.RESPONSES_SENT) == 3);
            return posted;
        }
    }
}
