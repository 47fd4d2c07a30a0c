// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.slipstream.link.meter.DisconnectCause;
import io.slipstream.link.meter.FallbackReason;
import io.slipstream.proxy.spi.AnswerTranslation;
import io.slipstream.proxy.spi.FastPath;
import io.slipstream.proxy.spi.PendingRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Drives a dispatcher; checks at each submission that the two paths are never in use together. */
final class HandFedSession implements RequestDispatcher.Session, FastPath, AutoCloseable {
    private static final int MAX_IN_FLIGHT = 32;

    RuntimeException thrownOnAnswer;
    private boolean marked;
    final RequestDispatcher dispatcher = new RequestDispatcher(this, MAX_IN_FLIGHT);
    final EmbeddedChannel upstreamChannel = new EmbeddedChannel();
    final List<Integer> written = new ArrayList<>();
    final List<String> violations = new ArrayList<>();
    private final UpstreamConnection upstream = new UpstreamConnection(upstreamChannel, this, null);
    private final List<Integer> submitted = new ArrayList<>();
    private final List<PendingRequest> pending = new ArrayList<>();
    private final List<Integer> forwarded = new ArrayList<>();
    private final List<Integer> forwardedApis = new ArrayList<>();
    private final List<Integer> unanswered = new ArrayList<>();
    boolean fallBackAtOnce;
    boolean answersAtOnce;
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
        mark();
        takeTurns();
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
        for (ByteBuf frame = upstreamChannel.readOutbound(); frame != null; frame = upstreamChannel.readOutbound()) {
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
        respond(correlationId);
        takeTurns();
    }

    /** Without a turn. */
    void respond(int correlationId) {
        takePending(correlationId).respond(answer(correlationId));
    }

    private ByteBuf answer(int correlationId) {
        return upstreamChannel.alloc().directBuffer().writeInt(Integer.BYTES).writeInt(correlationId);
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
        takeTurns();
    }

    void fallBack(int correlationId) {
        takePending(correlationId).fallBack(FallbackReason.RING_FULL);
        takeTurns();
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
        takeTurns();
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
                takeTurns();
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
        return slot.apiKey != KafkaApi.METADATA
                        && (slot.apiKey != RequestDispatcherTest.HEARTBEAT || ringCarriesHeartbeats)
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
    public void mark() {
        marked = true;
    }

    @Override
    public void onReply(RequestSlot slot) {
        mark();
    }

    /** As long as one turn has work for the next. */
    void takeTurns() {
        while (marked) {
            takeTurn();
        }
    }

    private void takeTurn() {
        marked = false;
        dispatcher.answer(slot -> written.add(slot.correlationId));
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
    public void adapt(RequestSlot slot, ByteBuf response) {
        if (adaptsLater) {
            toAdapt = () -> {
                dispatcher.onAnswer(slot, response, true);
                mark();
                takeTurns();
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
    public void submit(PendingRequest request) {
        readForwarded();
        if (!unanswered.isEmpty()) {
            violations.add("request " + id(request) + " was handed over while TCP was unanswered");
        }
        boolean besideAnother = pending.stream().anyMatch(other -> other.apiKey != KafkaApi.PRODUCE);
        if (besideAnother || request.apiKey != KafkaApi.PRODUCE && !pending.isEmpty()) {
            violations.add("request " + id(request) + " is not alone");
        }
        if (fallBackAtOnce && pending.isEmpty()) {
            request.fallBack(FallbackReason.NOT_ELIGIBLE);
            return;
        }
        submitted.add(id(request));
        pending.add(request);
        if (answersAtOnce) {
            int before = written.size();
            respond(id(request));
            if (written.size() > before) {
                violations.add("request " + id(request) + " was answered inside its submission");
            }
        }
    }

    @Override
    public boolean isMuted() {
        return muted;
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
