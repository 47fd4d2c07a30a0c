// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.slipstream.proxy.spi.AnswerTranslation;
import io.slipstream.proxy.spi.FallbackReason;
import io.slipstream.proxy.spi.FastPath;
import io.slipstream.proxy.spi.PendingRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The order of requests, with a real upstream connection on an embedded channel, and a fast path that the test answers.
 */
class RequestDispatcherTest {
    private static final short HEARTBEAT = 12;

    private final HandFedSession session = new HandFedSession();

    @AfterEach
    void close() {
        session.close();
    }

    @Test
    void shouldPipelineRequestsOverTcp() {
        session.request(HEARTBEAT, 1);
        session.request(KafkaApi.METADATA, 2);
        session.request(HEARTBEAT, 3);
        assertThat(session.forwarded()).containsExactly(1, 2, 3);
    }

    @Test
    void shouldPipelineProduceOnTheFastPathOnly() {
        session.request(KafkaApi.PRODUCE, 1);
        session.request(KafkaApi.PRODUCE, 2);
        session.request(HEARTBEAT, 3);
        assertThat(session.submitted()).containsExactly(1, 2);
        assertThat(session.forwarded()).isEmpty();
        assertThat(session.dispatcher.hasQueued()).isTrue();

        session.answerFast(2);
        assertThat(session.forwarded()).isEmpty();
        session.answerFast(1);
        assertThat(session.forwarded()).containsExactly(3);
        assertThat(session.written).containsExactly(1, 2);
    }

    @Test
    void shouldNotUseTheFastPathWhileTcpIsUnanswered() {
        session.request(HEARTBEAT, 1);
        session.request(KafkaApi.PRODUCE, 2);
        assertThat(session.submitted()).isEmpty();
        session.answerTcp(1);
        assertThat(session.submitted()).containsExactly(2);
    }

    @Test
    void shouldNotLetAnAnswersFailureReachTheFastPath() {
        session.thrownOnAnswer = new IllegalStateException("as the test wants it");
        session.request(KafkaApi.PRODUCE, 1);
        session.answerFast(1);
        assertThat(session.thrown).isSameAs(session.thrownOnAnswer);
    }

    @Test
    void shouldRunAFetchAlone() {
        session.request(KafkaApi.PRODUCE, 1);
        session.request(KafkaApi.FETCH, 2);
        assertThat(session.submitted()).containsExactly(1);
        session.answerFast(1);
        assertThat(session.submitted()).containsExactly(1, 2);
        session.request(KafkaApi.PRODUCE, 3);
        assertThat(session.submitted()).containsExactly(1, 2);
        session.answerFast(2);
        assertThat(session.submitted()).containsExactly(1, 2, 3);
    }

    @Test
    void shouldRunARequestOfTheRingAlone() {
        session.ringCarriesHeartbeats = true;
        session.request(KafkaApi.PRODUCE, 1);
        session.request(HEARTBEAT, 2);
        session.request(HEARTBEAT, 3);
        session.request(KafkaApi.PRODUCE, 4);
        assertThat(session.submitted()).containsExactly(1);
        session.answerFast(1);
        assertThat(session.submitted()).containsExactly(1, 2);
        session.answerFast(2);
        assertThat(session.submitted()).containsExactly(1, 2, 3);
        session.answerFast(3);
        assertThat(session.submitted()).containsExactly(1, 2, 3, 4);
        assertThat(session.forwarded()).isEmpty();
    }

    /** The answer names a broker whose port is not open yet. */
    @Test
    void shouldSendNothingElseWhileAnAnswerIsAdapted() {
        session.ringCarriesHeartbeats = true;
        session.adaptsLater = true;
        session.request(HEARTBEAT, 1);
        session.request(KafkaApi.PRODUCE, 2);
        session.request(KafkaApi.METADATA, 3);
        session.answerFast(1);
        assertThat(session.submitted()).containsExactly(1);
        assertThat(session.written).isEmpty();
        session.adaptsLater = false;
        session.toAdapt.run();
        assertThat(session.written).containsExactly(1);
        session.answerFast(2);
        session.answerTcp(3);
        assertThat(session.written).containsExactly(1, 2, 3);
    }

    @Test
    void shouldForwardWhatFallsBackAtOnce() {
        session.fallBackAtOnce = true;
        session.request(KafkaApi.PRODUCE, 1);
        session.request(KafkaApi.PRODUCE, 2);
        assertThat(session.forwarded()).containsExactly(1, 2);
        session.answerTcp(1);
        session.answerTcp(2);
        assertThat(session.written).containsExactly(1, 2);
    }

    @Test
    void shouldForwardWhatFallsBackLaterBehindWhatIsStillPending() {
        session.request(KafkaApi.PRODUCE, 1);
        session.request(KafkaApi.PRODUCE, 2);
        session.request(KafkaApi.PRODUCE, 3);
        session.fallBack(2);
        session.fallBack(3);
        assertThat(session.forwarded()).isEmpty();
        session.answerFast(1);
        assertThat(session.forwarded()).containsExactly(2, 3);
    }

    /** A part of an answer, read by RDMA. */
    private static final class Part implements AnswerTranslation {
        private int releases;

        @Override
        public int translate(ByteBuffer response) {
            return response.remaining();
        }

        @Override
        public long records() {
            return 7;
        }

        @Override
        public void release() {
            releases++;
        }
    }

    @Test
    void shouldReleaseThePartOfAnAnswerWhoseRestNeverComes() {
        Part part = new Part();
        session.request(KafkaApi.FETCH, 1);
        session.fallBack(1, part);
        assertThat(session.forwarded()).containsExactly(1);
        assertThat(part.releases).isZero();
        session.close();
        assertThat(part.releases).isPositive();
    }

    @Test
    void shouldReleaseThePartOfAnAnswerToAClosedConnection() {
        Part part = new Part();
        session.request(KafkaApi.FETCH, 1);
        session.dispatcher.close();
        session.fallBack(1, part);
        assertThat(part.releases).isPositive();
    }

    @Test
    void shouldNotStayOnTcpBehindARequestThatRdmaServesInPart() {
        session.request(KafkaApi.FETCH, 1);
        session.fallBack(1, new Part());
        session.request(KafkaApi.PRODUCE, 2);
        assertThat(session.forwarded()).containsExactly(1);
        session.answerTcp(1);
        assertThat(session.submitted()).containsExactly(1, 2);
    }

    @Test
    void shouldAskSomethingSmallBetweenUnansweredTcpAndTheFastPath() {
        session.fallBackAtOnce = true;
        session.requestWithoutResponse(1);
        session.fallBackAtOnce = false;
        session.request(KafkaApi.PRODUCE, 2);
        assertThat(session.submitted()).isEmpty();
        assertThat(session.forwardedApis()).containsExactly((int) KafkaApi.PRODUCE, (int) KafkaApi.API_VERSIONS);

        session.answerBarrier();
        assertThat(session.submitted()).containsExactly(2);
    }

    @Test
    void shouldWaitWhileTheFastPathIsMuted() {
        session.muted = true;
        session.request(KafkaApi.PRODUCE, 1);
        assertThat(session.submitted()).isEmpty();
        session.muted = false;
        session.onProgress();
        assertThat(session.submitted()).containsExactly(1);
    }

    @Test
    void shouldKeepOrderAndAnswerEverythingWhateverHappens() {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        Random random = new Random(seed);
        int rounds = Boolean.getBoolean("slipstream.thorough") ? 500 : 50;
        for (int round = 0; round < rounds; round++) {
            try (HandFedSession one = new HandFedSession()) {
                one.ringCarriesHeartbeats = random.nextBoolean();
                int sent = 0;
                for (int step = 0; step < 300 || one.written.size() < sent; step++) {
                    assertThat(step).as("stuck, seed %d", seed).isLessThan(20_000);
                    if (step < 300 && !one.dispatcher.hasQueued() && !one.dispatcher.sequencer.isFull()) {
                        short[] apis = {KafkaApi.PRODUCE, KafkaApi.PRODUCE, KafkaApi.FETCH, HEARTBEAT};
                        one.fallBackAtOnce = random.nextInt(10) == 0;
                        one.request(apis[random.nextInt(apis.length)], ++sent);
                    }
                    one.step(random);
                    assertThat(one.violations).as("seed %d", seed).isEmpty();
                }
                for (int i = 0; i < sent; i++) {
                    assertThat(one.written.get(i)).as("seed %d", seed).isEqualTo(i + 1);
                }
            }
        }
    }

    /** Drives a dispatcher; checks at each submission that the two paths are never in use together. */
    private static final class HandFedSession
            implements RequestDispatcher.Session, FastPath, UpstreamConnection.Events, AutoCloseable {
        private static final int MAX_IN_FLIGHT = 32;

        RuntimeException thrownOnAnswer;
        Throwable thrown;
        final RequestDispatcher dispatcher = new RequestDispatcher(this, MAX_IN_FLIGHT);
        final EmbeddedChannel upstreamChannel = new EmbeddedChannel();
        final List<Integer> written = new ArrayList<>();
        final List<String> violations = new ArrayList<>();
        private final UpstreamConnection upstream = new UpstreamConnection(upstreamChannel, this);
        private final List<Integer> submitted = new ArrayList<>();
        private final List<PendingRequest> pending = new ArrayList<>();
        private final List<Integer> forwarded = new ArrayList<>();
        private final List<Integer> forwardedApis = new ArrayList<>();
        private final List<Integer> unanswered = new ArrayList<>();
        boolean fallBackAtOnce;
        boolean muted;
        boolean ringCarriesHeartbeats;
        boolean adaptsLater;
        Runnable toAdapt;

        HandFedSession() {
            upstreamChannel.pipeline().addLast(upstream);
            dispatcher.upstream = upstream;
        }

        @Override
        public ByteBuf smallRequest() {
            return upstreamChannel
                    .alloc()
                    .directBuffer(10)
                    .writeShort(KafkaApi.API_VERSIONS)
                    .writeShort(0)
                    .writeInt(-2)
                    .writeShort(-1);
        }

        void request(short apiKey, int correlationId) {
            take(apiKey, correlationId, true);
        }

        void requestWithoutResponse(int correlationId) {
            take(KafkaApi.PRODUCE, correlationId, false);
        }

        private void take(short apiKey, int correlationId, boolean expectsResponse) {
            RequestSlot slot = dispatcher.sequencer.take();
            slot.apiKey = apiKey;
            slot.correlationId = correlationId;
            slot.expectsResponse = expectsResponse;
            slot.receivedNs = System.nanoTime();
            slot.wire = upstreamChannel.alloc().directBuffer().writeInt(10);
            slot.wire.writeShort(apiKey).writeShort(0).writeInt(correlationId).writeShort(-1);
            onProgress();
        }

        List<Integer> submitted() {
            return submitted;
        }

        List<Integer> forwarded() {
            readForwarded();
            return forwarded;
        }

        List<Integer> forwardedApis() {
            readForwarded();
            return forwardedApis;
        }

        private void readForwarded() {
            upstream.flush();
            for (ByteBuf frame = upstreamChannel.readOutbound();
                    frame != null;
                    frame = upstreamChannel.readOutbound()) {
                int skipped = frame.readableBytes() == 4 ? -1 : frame.readableBytes() == 10 ? 0 : 4;
                if (skipped >= 0) {
                    int correlationId = frame.getInt(skipped + 4);
                    int api = frame.getShort(skipped);
                    forwardedApis.add(api);
                    unanswered.add(correlationId);
                    if (skipped == 4) {
                        forwarded.add(correlationId);
                    }
                }
                if (frame.refCnt() > 0) {
                    frame.release();
                }
            }
        }

        void answerFast(int correlationId) {
            PendingRequest request = takePending(correlationId);
            request.respond(upstreamChannel
                    .alloc()
                    .directBuffer()
                    .writeInt(Integer.BYTES)
                    .writeInt(correlationId));
        }

        private static ByteBuffer fetchFrame(int correlationId) {
            return ByteBuffer.allocate(10)
                    .putShort(KafkaApi.FETCH)
                    .putShort((short) 0)
                    .putInt(correlationId)
                    .putShort((short) -1)
                    .flip();
        }

        void fallBack(int correlationId, AnswerTranslation translation) {
            PendingRequest request = takePending(correlationId);
            request.fallBack(FallbackReason.NOT_READABLE, fetchFrame(correlationId), translation);
        }

        void fallBack(int correlationId) {
            takePending(correlationId).fallBack(FallbackReason.RING_FULL);
        }

        private static int id(PendingRequest request) {
            return ((RequestSlot) request).correlationId;
        }

        private PendingRequest takePending(int correlationId) {
            PendingRequest found = pending.stream()
                    .filter(request -> id(request) == correlationId)
                    .findFirst()
                    .orElseThrow();
            pending.remove(found);
            return found;
        }

        void answerTcp(int correlationId) {
            readForwarded();
            unanswered.remove((Integer) correlationId);
            upstreamChannel.writeInbound(
                    upstreamChannel.alloc().directBuffer().writeInt(4).writeInt(correlationId));
        }

        void answerBarrier() {
            answerTcp(-2);
        }

        /** Executes one random possible event. */
        void step(Random random) {
            readForwarded();
            if (!pending.isEmpty() && random.nextBoolean()) {
                // According to the contract: requests after a fallback fall back, too.
                int first = random.nextInt(pending.size());
                if (random.nextInt(4) == 0) {
                    List<PendingRequest> falling = new ArrayList<>(pending.subList(first, pending.size()));
                    pending.removeAll(falling);
                    falling.forEach(request -> request.fallBack(FallbackReason.RING_FULL));
                } else {
                    answerFast(id(pending.get(first)));
                }
            } else if (!unanswered.isEmpty()) {
                answerTcp(unanswered.get(0));
            }
        }

        @Override
        public boolean isClientWritable() {
            return true;
        }

        @Override
        public FastPath fastPathFor(RequestSlot slot) {
            return slot.apiKey != KafkaApi.METADATA && (slot.apiKey != HEARTBEAT || ringCarriesHeartbeats)
                    ? this
                    : null;
        }

        @Override
        public void beforeForward(RequestSlot slot) {
            if (!pending.isEmpty()) {
                violations.add("request " + slot.correlationId + " went over TCP while " + pending.size()
                        + " were pending on the fast path");
            }
        }

        @Override
        public void onProgress() {
            dispatcher.sequencer.drain(slot -> written.add(slot.correlationId));
            dispatcher.dispatch();
        }

        @Override
        public void onFastPathAnswered(RequestSlot slot) {
            // Counted elsewhere.
            if (thrownOnAnswer != null) {
                throw thrownOnAnswer;
            }
        }

        @Override
        public void adaptFastAnswer(RequestSlot slot, ByteBuf response) {
            if (adaptsLater) {
                toAdapt = () -> {
                    dispatcher.onAnswer(slot, response, true);
                    onProgress();
                };
            } else {
                dispatcher.onAnswer(slot, response, true);
            }
        }

        @Override
        public void onFallBack(RequestSlot slot, FallbackReason reason) {
            // Counted elsewhere.
        }

        @Override
        public void onThrown(Throwable failure) {
            thrown = failure;
        }

        @Override
        public void submit(PendingRequest request) {
            readForwarded();
            if (!unanswered.isEmpty()) {
                violations.add("request " + id(request) + " was handed over while TCP was unanswered");
            }
            boolean besideAnother = pending.stream().anyMatch(other -> other.apiKey() != KafkaApi.PRODUCE);
            if (besideAnother || request.apiKey() != KafkaApi.PRODUCE && !pending.isEmpty()) {
                violations.add("request " + id(request) + " is not alone");
            }
            if (fallBackAtOnce && pending.isEmpty()) {
                request.fallBack(FallbackReason.NOT_ELIGIBLE);
                return;
            }
            submitted.add(id(request));
            pending.add(request);
        }

        @Override
        public boolean isMuted() {
            return muted;
        }

        @Override
        public void onResponse(RequestSlot slot, ByteBuf wire) {
            dispatcher.onAnswer(slot, wire, true);
        }

        @Override
        public void onResponsesRead() {
            onProgress();
        }

        @Override
        public void close(DisconnectCause cause, String detail) {
            violations.add(cause + ": " + detail);
        }

        @Override
        public void close() {
            dispatcher.close();
            upstream.close();
            upstreamChannel.finishAndReleaseAll();
        }
    }
}
