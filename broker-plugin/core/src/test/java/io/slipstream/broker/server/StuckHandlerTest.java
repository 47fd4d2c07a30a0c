// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.broker.client.ControlClient;
import io.slipstream.broker.client.RingClient;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.ring.RingFrameIn;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The broker does not return from the append of one client's request. The other clients of its link are served. */
@Timeout(60)
class StuckHandlerTest extends PluginServerFixture {
    private final CountDownLatch released = new CountDownLatch(1);
    /** First byte of each request that the broker got, in order. */
    private final Queue<Integer> handled = new ConcurrentLinkedQueue<>();

    private volatile int stuckSession = -1;
    private ControlClient control;
    private RingClient ring;
    private int stuck;
    private int served;

    @BeforeEach
    void connect() throws Exception {
        line.answersAtOnce = true;
        line.beforeAnswer = this::handle;
        control = new ControlClient(socket);
        ring = new RingClient(control, CREDITS);
        stuck = ring.bind(nonce -> observe("a", nonce));
        served = ring.bind(nonce -> observe("b", nonce));
        stuckSession = stuck;
    }

    @AfterEach
    void release() throws Exception {
        released.countDown();
        ring.close();
        control.close();
    }

    private void handle(RingFrameIn frame) {
        handled.add((int) frame.payload().get(0));
        if (frame.sessionId == stuckSession) {
            awaitRelease();
        }
    }

    private void awaitRelease() {
        try {
            assertThat(released.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The disk keeps the second part of an answer. */
    @Test
    void shouldServeOthersWhileAHandlerReadsAFile() {
        line.addHandlers();
        line.addHandlers();
        stuckSession = -1;
        AtomicInteger reads = new AtomicInteger();
        line.beforeRead = frame -> {
            if (reads.incrementAndGet() == 2) {
                awaitRelease();
            }
        };
        ByteBuffer large = ByteBuffer.allocate(ring.hello.maxFrameBytes());
        new Random(seed).nextBytes(large.array());
        long waiting = ring.send(stuck, large);
        await().atMost(Duration.ofSeconds(20)).until(() -> reads.get() == 2);
        line.beforeRead = null;
        for (int i = 0; i < 100; i++) {
            ring.await(send(served, 100));
        }
        assertThat(reads).hasValue(2);
        released.countDown();
        assertThat(ring.await(waiting).payload()).isEqualTo(large.clear());
        assertThat(ring.partFrames).isEqualTo(3);
    }

    @Test
    void shouldServeOthersAndKeepTheOrderOfTheStuckConnection() {
        line.addHandlers();
        line.addHandlers();
        List<Long> waiting = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waiting.add(send(stuck, i));
        }
        for (int i = 0; i < 100; i++) {
            ring.await(send(served, 100));
        }
        assertThat(handled).filteredOn(first -> first != 100).containsExactly(0);
        assertThat(counters.get(PluginMeter.REQUESTS_STUCK)).isEqualTo(1);

        released.countDown();
        waiting.forEach(ring::await);

        assertThat(handled).filteredOn(first -> first != 100).containsExactly(0, 1, 2, 3, 4);
        await().atMost(Duration.ofSeconds(10)).until(() -> counters.get(PluginMeter.REQUESTS_STUCK) == 0);
        ring.pollUntil("the release of all space", ring::allSpaceReleased);
    }

    @Test
    void shouldPostAnswersAndDoorbellsWhileAllOtherHandlersAreStuck() {
        line.withholds = true;
        long withheld = send(served, 100);
        await().atMost(Duration.ofSeconds(10)).until(() -> handled.size() == 1);
        line.addHandlers();
        long first = send(stuck, 0);
        await().atMost(Duration.ofSeconds(10)).until(() -> counters.get(PluginMeter.REQUESTS_STUCK) == 1);
        long second = send(served, 101);

        line.answerWithheld();
        line.doorbell.accept(7);
        ring.await(withheld);
        assertThat(ring.awaitDoorbells(1)).containsExactly(7);
        assertThat(handled).as("the last handler handles nothing").containsExactly(100, 0);

        line.withholds = false;
        released.countDown();
        ring.await(first);
        ring.await(second);
    }

    private long send(int session, int first) {
        return ring.send(session, ByteBuffer.allocate(100).put(0, (byte) first));
    }
}
