// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import io.slipstream.link.meter.FallbackReason;
import io.slipstream.protocol.ring.RingApis;
import io.slipstream.proxy.spi.FastPath;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Decides when each request of one client connection is sent, and on which path. A broker serves the requests of one
 * connection one at a time, and clients rely on it. Over TCP the broker keeps that order. On the fast path only Produce
 * requests keep it while several are pending. Therefore:
 * <ul>
 * <li>requests over TCP are pipelined while nothing is pending on the fast path;
 * <li>Produce requests are pipelined on the fast path while nothing is pending over TCP and nothing else on the fast
 *     path;
 * <li>any other request uses the fast path only alone;
 * <li>a request that must wait stops the requests after it, and the reading of the client ({@link #hasQueued}).
 * </ul>
 *
 * <p>A Produce with acks=0 over TCP has no answer that shows when it was served. Before the fast path is used again,
 * the proxy sends the broker a small request and waits for its answer.
 *
 * <p>After a fallback, requests that find TCP in use follow over TCP for a period, which doubles up to a second with
 * each further fallback. Otherwise each would wait for the previous one and then fall back itself, without any
 * pipelining.
 *
 * <p>Confined to the event loop.
 */
final class RequestDispatcher {
    /** The dispatcher's view of its session. */
    interface Session extends UpstreamConnection.Events {
        boolean isClientWritable();

        /** The client's fast path for this request, or null if the request takes TCP. */
        FastPath fastPathFor(RequestSlot slot);

        /** A request of the proxy itself to which any answer suffices, from its header on. */
        ByteBuf smallRequest();

        /** Called before forwarding; may replace the frame. */
        void beforeForward(RequestSlot slot);

        /** The slot has its answer. Calls {@link #mark}. */
        void onReply(RequestSlot slot);

        /** The answer came by RDMA. */
        void onFastPathAnswered(RequestSlot slot);

        /** Adapts a broker's answer and passes it to {@link #onAnswer}, now or later. */
        void adapt(RequestSlot slot, ByteBuf response);

        void onFallBack(RequestSlot slot, FallbackReason reason);
    }

    private static final Consumer<ByteBuf> IGNORED = response -> {};
    private static final long NO_BARRIER = -1;
    private static final long SHORTEST_STAY_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LONGEST_STAY_NS = TimeUnit.SECONDS.toNanos(1);

    final Session session;
    final ResponseSequencer sequencer;
    /** Null until the session is connected. */
    UpstreamConnection upstream;

    /** First sequence number that may be queued. */
    private long cursor;

    private int upstreamPending;
    private int fastPending;
    /** Slots in state REPLIED. */
    private int replies;

    /** The pending request on the fast path that is no Produce, or null. */
    private RequestSlot fastAlone;
    /**
     * {@link UpstreamConnection#sent} when the last request without an answer was forwarded. It was served when more
     * requests were answered.
     */
    private long unansweredAfter = NO_BARRIER;

    private FallbackReason lastFallBack;
    private long stayOnTcpNs;
    private long stayOnTcpUntilNs = System.nanoTime();
    private boolean barrierSent;
    boolean closed;

    RequestDispatcher(Session session, int maxInFlight) {
        this.session = session;
        this.sequencer = new ResponseSequencer(this, maxInFlight);
    }

    /** Whether a request is pending on the fast path that may wait for records, or for members of a group. */
    boolean isFastWaitPending() {
        return fastAlone != null && (fastAlone.apiKey == KafkaApi.FETCH || RingApis.waits(fastAlone.apiKey));
    }

    /** Whether a request waits to be sent. */
    boolean hasQueued() {
        return cursor != sequencer.tail;
    }

    /** Sends all queued requests that may be sent. */
    void dispatch() {
        while (upstream != null && hasQueued()) {
            RequestSlot slot = sequencer.at(cursor);
            if (slot.state != RequestSlot.State.QUEUED) {
                cursor++;
            } else if (!tryStart(slot)) {
                return;
            }
        }
    }

    /** False if it must wait. */
    private boolean tryStart(RequestSlot slot) {
        FastPath fastPath = slot.overTcp ? null : session.fastPathFor(slot);
        if (fastPath != null
                && upstreamPending > 0
                && slot.receivedNs - stayOnTcpUntilNs < 0
                && fastPath.mayBePassedOver(slot.apiKey)) {
            session.onFallBack(slot, lastFallBack);
            fastPath = null;
        }
        if (fastPath == null) {
            slot.overTcp = true;
            return tryForward(slot);
        }
        return trySubmit(slot, fastPath);
    }

    private boolean tryForward(RequestSlot slot) {
        if (fastPending > 0 || !upstream.isWritable()) {
            return false;
        }
        session.beforeForward(slot);
        upstream.forward(slot);
        if (slot.expectsResponse) {
            slot.state = RequestSlot.State.UPSTREAM;
            upstreamPending++;
        } else {
            unansweredAfter = upstream.sent;
            slot.state = RequestSlot.State.DONE;
            session.mark();
        }
        return true;
    }

    private boolean trySubmit(RequestSlot slot, FastPath fastPath) {
        boolean alone = slot.apiKey != KafkaApi.PRODUCE;
        if (upstreamPending > 0
                || fastAlone != null
                || (alone && fastPending > 0)
                || fastPath.isMuted()
                || !session.isClientWritable()) {
            return false;
        }
        if (unansweredAfter != NO_BARRIER) {
            if (upstream.answered <= unansweredAfter) {
                sendBarrier();
                return false;
            }
            unansweredAfter = NO_BARRIER;
        }
        slot.state = RequestSlot.State.FAST;
        fastPending++;
        fastAlone = alone ? slot : null;
        fastPath.submit(slot);
        return true;
    }

    private void sendBarrier() {
        if (!barrierSent) {
            barrierSent = true;
            upstream.sendOwn(session.smallRequest(), response -> {
                barrierSent = false;
                if (response != null) {
                    session.mark();
                }
            });
        }
    }

    /** Keeps the upstream connection from being idle. */
    void keepAlive() {
        upstream.sendOwn(session.smallRequest(), IGNORED);
        session.mark();
    }

    /** Takes a response that is ready to be written. */
    void onAnswer(RequestSlot slot, ByteBuf response, boolean hasSize) {
        if (closed) {
            response.release();
            return;
        }
        if (slot.state == RequestSlot.State.UPSTREAM) {
            upstreamPending--;
            slot.state = RequestSlot.State.DONE;
        } else {
            fastDone(slot, RequestSlot.State.DONE);
        }
        slot.response = response;
        slot.responseHasSize = hasSize;
    }

    void onReply(RequestSlot slot) {
        replies++;
        session.onReply(slot);
    }

    /** Makes the clients' answers of the replies, and writes those whose turn it is. */
    void answer(ResponseSequencer.Writer writer) {
        for (long next = sequencer.head; replies > 0 && next < sequencer.tail; next++) {
            RequestSlot slot = sequencer.at(next);
            if (slot.state == RequestSlot.State.REPLIED) {
                replies--;
                answer(slot);
            }
        }
        sequencer.drain(writer);
    }

    private void answer(RequestSlot slot) {
        if (!slot.answeredByRdma) {
            slot.state = RequestSlot.State.UPSTREAM;
        } else {
            slot.state = RequestSlot.State.FAST;
            stayOnTcpNs = 0;
            session.onFastPathAnswered(slot);
            if (slot.response == null || slot.apiKey == KafkaApi.FETCH) {
                fastDone(slot, RequestSlot.State.DONE);
                return;
            }
        }
        session.adapt(slot, slot.detachResponse());
    }

    void onFallBack(RequestSlot slot, FallbackReason reason) {
        fastDone(slot, RequestSlot.State.QUEUED);
        cursor = Math.min(cursor, slot.sequence);
        if (!slot.isDivided()) {
            lastFallBack = reason;
            stayOnTcpNs = Math.min(LONGEST_STAY_NS, Math.max(SHORTEST_STAY_NS, 2 * stayOnTcpNs));
            stayOnTcpUntilNs = System.nanoTime() + stayOnTcpNs;
        }
        session.onFallBack(slot, reason);
        session.mark();
    }

    private void fastDone(RequestSlot slot, RequestSlot.State next) {
        fastPending--;
        if (slot == fastAlone) {
            fastAlone = null;
        }
        slot.state = next;
    }

    /** Stops all answers and frees all requests. */
    void close() {
        closed = true;
        sequencer.clear();
        cursor = sequencer.tail;
    }
}
