// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.slipstream.link.memory.AnyMemory;
import io.slipstream.link.memory.LinkMemory;
import io.slipstream.link.memory.PlainRegion;
import io.slipstream.link.meter.FallbackReason;
import io.slipstream.link.meter.Meter;
import io.slipstream.link.work.OperationMeters;
import io.slipstream.link.work.ScriptedQueuePair;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.ring.RingFrame;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RequestRingWriterTest {
    private static final int RING_BYTES = 1024;
    private static final int CREDITS = 3;

    private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true, true);
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final ScriptedQueuePair queuePair = new ScriptedQueuePair(16);
    private final List<String> broken = new ArrayList<>();
    private RequestRingWriter ring = ring(TimeUnit.HOURS.toNanos(1));
    private final Client client = new Client();
    private boolean isOpen = true;

    private RequestRingWriter ring(long waitNs) {
        return new RequestRingWriter(
                channel.eventLoop(),
                queuePair.port(),
                new RemoteMemory(0, RING_BYTES, 1),
                new LinkMemory(
                        new PlainRegion(RING_BYTES),
                        new PlainRegion(LinkMemory.WORDS_BYTES),
                        null,
                        new AnyMemory(memory, 1)),
                CREDITS,
                64,
                RING_BYTES,
                waitNs,
                new OperationMeters(new MeterRegistry(Meter.values())),
                broken::add);
    }

    private record Request(String name, ByteBuf frame) implements OutgoingRequest {
        @Override
        public boolean isCancelled() {
            return false;
        }
    }

    private static final class Client implements RingClient<Request> {
        final List<String> outcomes = new ArrayList<>();
        boolean holdsBack;
        boolean fails;

        @Override
        public boolean mayBeWritten(Request request) {
            return !holdsBack;
        }

        @Override
        public void onReply(Request request, int flags, ByteBuf response) {
            outcomes.add(request.name() + " answered");
        }

        @Override
        public void onNotWritten(Request request, FallbackReason reason) {
            outcomes.add(request.name() + " not written");
            failIfAsked();
        }

        @Override
        public void onOutcomeUnknown(Request request, String reason) {
            outcomes.add(request.name() + " unknown");
            failIfAsked();
        }

        private void failIfAsked() {
            if (fails) {
                throw new IllegalStateException("a client fails");
            }
        }
    }

    @AfterEach
    void close() {
        if (isOpen) {
            isOpen = false;
            ring.close("the end");
        }
    }

    private Request submit(String name, int bytes) {
        Request request = request(name, bytes);
        assertThat(ring.submit(client, 1, request)).isTrue();
        return request;
    }

    private boolean trySubmit(String name, int bytes) {
        return ring.submit(client, 1, request(name, bytes));
    }

    private Request request(String name, int bytes) {
        return new Request(name, memory.directBuffer(bytes).writeZero(bytes));
    }

    /** The waits of requests are over. */
    private void expireWaiting(int requests) {
        int ended = client.outcomes.size() + requests;
        await().pollInSameThread().atMost(Duration.ofSeconds(30)).until(() -> {
            channel.runScheduledPendingTasks();
            return client.outcomes.size() == ended;
        });
    }

    private void reply(long sequence, long released) {
        assertThat(ring.onReply(ring.request(sequence), 0, released)).isTrue();
    }

    @Test
    void shouldKeepTheFrameUntilItsWriteHasCompletedHoweverEarlyTheReplyComes() {
        Request first = submit("first", 100);
        reply(0, 192);
        assertThat(client.outcomes).as("the device still reads the frame").isEmpty();
        assertThat(first.frame().refCnt()).isEqualTo(2);

        queuePair.complete();
        assertThat(client.outcomes).containsExactly("first answered");
        assertThat(first.frame().refCnt()).isEqualTo(1);
    }

    @Test
    void shouldNotLetASmallRequestOvertakeALargeOne() {
        submit("fills most", 800);
        submit("waits", 500);
        submit("would fit", 32);
        assertThat(queuePair.posted).hasSize(1);

        queuePair.complete();
        reply(0, 832);
        assertThat(queuePair.posted).hasSize(2);
        queuePair.complete();
        reply(1, 1024 + 576);
        queuePair.complete();
        reply(2, 1024 + 640);
        assertThat(client.outcomes).containsExactly("fills most answered", "waits answered", "would fit answered");
    }

    @Test
    void shouldWriteNoMoreRequestsThanThereAreCredits() {
        for (int i = 0; i < CREDITS + 1; i++) {
            submit("request " + i, 1);
        }
        assertThat(queuePair.posted).hasSize(CREDITS);
        assertThat(ring.unanswered()).isEqualTo(CREDITS);
        reply(0, 64);
        assertThat(queuePair.posted).hasSize(CREDITS + 1);
    }

    /** A request that waits for a follower at the broker costs other clients nothing. */
    @Test
    void shouldUseTheSpaceAndTheCreditsOfHandledRequestsAgain() {
        for (int i = 0; i < CREDITS; i++) {
            submit("waits for its answer " + i, 200);
            queuePair.complete();
        }
        submit("waits for a credit", 900);
        assertThat(queuePair.posted).isEmpty();

        assertThat(ring.release(CREDITS * 256)).isTrue();
        queuePair.complete();
        reply(CREDITS, 1024 + 960);

        assertThat(client.outcomes).containsExactly("waits for a credit answered");
        assertThat(ring.unanswered()).isEqualTo(CREDITS);
    }

    @Test
    void shouldCountACreditOnceWhicheverOfAnswerAndReleaseComesFirst() {
        for (int round = 0; round < 20; round++) {
            long sequence = 2L * round;
            long start = 128L * round;
            submit("answered first", 1);
            submit("released first", 1);
            queuePair.complete();
            queuePair.complete();
            reply(sequence, start);
            assertThat(ring.release(start + 128)).isTrue();
            reply(sequence + 1, start + 128);
        }
        for (int i = 0; i < CREDITS; i++) {
            submit("has a credit", 1);
        }
        submit("has none", 1);
        assertThat(queuePair.posted).hasSize(CREDITS);
    }

    @Test
    void shouldLeaveNoMoreRequestsUnansweredThanThePluginTakes() {
        for (int i = 0; i < RingFrame.mostUnanswered(CREDITS); i++) {
            submit("waits for its answer", 1);
            queuePair.complete();
            assertThat(ring.release(64L * (i + 1))).isTrue();
        }
        assertThat(trySubmit("one more", 1)).isFalse();
        reply(0, 64L * RingFrame.mostUnanswered(CREDITS));
        assertThat(trySubmit("instead of the first", 1)).isTrue();
    }

    @Test
    void shouldHandBackRequestsAtOnceWhileTheRingIsStuck() {
        ring = ring(TimeUnit.MILLISECONDS.toNanos(1));
        submit("fills most", 800);
        submit("waits", 500);
        submit("waits behind it", 32);
        expireWaiting(2);
        assertThat(client.outcomes).containsExactly("waits not written", "waits behind it not written");

        assertThat(trySubmit("does not wait", 500)).isFalse();
        assertThat(trySubmit("has room", 32)).isTrue();
        assertThat(queuePair.posted).hasSize(2);

        queuePair.complete();
        queuePair.complete();
        assertThat(ring.release(832)).isTrue();
        assertThat(trySubmit("has room again", 500)).isTrue();
        assertThat(trySubmit("waits again", 500)).isTrue();
        assertThat(queuePair.posted).hasSize(1);
    }

    @Test
    void shouldLetRequestsWaitForARingThatMoves() {
        ring = ring(TimeUnit.MILLISECONDS.toNanos(1));
        submit("first", 400);
        submit("second", 400);
        submit("needs the whole ring", 900);
        assertThat(ring.release(448)).isTrue();
        expireWaiting(1);
        assertThat(trySubmit("waits", 900)).isTrue();
    }

    @Test
    void shouldHandBackAWaitingRequestWhoseClientHoldsRequestsBack() {
        submit("fills the ring", 900);
        submit("waits", 500);
        client.holdsBack = true;
        queuePair.complete();
        reply(0, 960);
        assertThat(client.outcomes).containsExactly("fills the ring answered", "waits not written");
        assertThat(queuePair.posted).isEmpty();
    }

    @Test
    void shouldRefuseTheReleaseOfWhatWasNeverWritten() {
        submit("first", 1);
        assertThat(ring.onReply(ring.request(0), 0, 128)).isFalse();
        assertThat(ring.request(1)).as("an unknown request").isNull();
    }

    @Test
    void shouldEndWrittenRequestsBeforeThoseThatWait() {
        submit("written", 900);
        submit("waits", 500);
        close();
        assertThat(client.outcomes).containsExactly("written unknown", "waits not written");
        assertThat(broken).isEmpty();
    }

    @Test
    void shouldEndAllRequestsAlthoughTheirClientsFail() {
        submit("first", 100);
        submit("second", 700);
        submit("third waits", 500);
        submit("fourth waits", 500);
        client.fails = true;
        close();
        assertThat(client.outcomes)
                .containsExactly(
                        "first unknown", "second unknown", "third waits not written", "fourth waits not written");
    }
}
