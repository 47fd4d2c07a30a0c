// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.ring;

import io.netty.buffer.ByteBuf;
import io.slipstream.link.LiveLink;
import io.slipstream.link.control.LinkObstacle;
import io.slipstream.link.ring.RingClient;
import io.slipstream.protocol.ring.RingApis;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.proxy.spi.FallbackReason;
import io.slipstream.proxy.spi.PendingRequest;
import java.util.ArrayDeque;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * The requests of one client connection that travel in the ring. Confined to its event loop.
 *
 * <p>Order: the ring keeps requests of one session in order, and so does TCP, but there is no order between the two.
 * When a request must take TCP while earlier ones of this connection are unanswered in the ring, the path <em>holds it
 * back</em>, together with all later requests, until the ring has answered. Then all held-back requests fall back in
 * their order. The proxy never resends a written request: if its outcome is unknown, it closes the client's connection
 * and the client decides.
 */
public final class RingPath implements RingClient<PendingRequest> {
    private final ArrayDeque<PendingRequest> heldBack = new ArrayDeque<>();
    /**
     * Written requests that the broker excluded from RDMA and did not execute. They precede all other held-back
     * requests.
     */
    private final ArrayDeque<PendingRequest> leftToTcp = new ArrayDeque<>();
    /**
     * Held-back requests that the ring returned. They were submitted before all of {@link #heldBack}, so they go first.
     */
    private final ArrayDeque<PendingRequest> handedBack = new ArrayDeque<>();

    private FallbackReason heldBackFor;
    /** Whether the broker excludes this session's requests from RDMA, from some request on. */
    private boolean isLeftToTcp;

    /** Number of requests that the ring has accepted, written or waiting. */
    private int inRing;

    public void onBound() {
        isLeftToTcp = false;
    }

    /**
     * Submits a request of {@link RingApis}; {@code link} is up and {@code sessionId} bound on it.
     *
     * @return null if the ring has the request; otherwise why it takes TCP, now or when the ring has answered
     */
    public FallbackReason submit(LiveLink link, int sessionId, PendingRequest request) {
        FallbackReason reason = isLeftToTcp ? FallbackReason.RDMA_OFF : ineligibility(link, request);
        if (reason == null && isHoldingBack()) {
            reason = heldBackFor;
        }
        if (reason == null) {
            inRing++;
            if (link.requests.submit(this, sessionId, request)) {
                return null;
            }
            inRing--;
            reason = link.isUp() ? FallbackReason.RING_FULL : FallbackReason.LINK_DOWN;
        }
        fallBackInOrder(request, reason);
        return reason;
    }

    private FallbackReason ineligibility(LiveLink link, PendingRequest request) {
        if (request.frame().readableBytes() > link.requests.maxFrameBytes) {
            return FallbackReason.FRAME_TOO_LARGE;
        } else if (request.apiKey() == ApiKeys.PRODUCE.id) {
            return request.isProduceForRing() ? null : FallbackReason.NOT_ELIGIBLE;
        } else if (!link.carriesMoreThanProduce) {
            return FallbackReason.NOT_ELIGIBLE;
        }
        return RingApis.waits(request.apiKey()) && link.requests.isHalfUsed() ? FallbackReason.RING_FULL : null;
    }

    /** Falls back now, or after all requests of this connection in the ring were answered. */
    public void fallBackInOrder(PendingRequest request, FallbackReason reason) {
        if (inRing == 0 && !isHoldingBack()) {
            request.fallBack(reason);
        } else {
            holdBack(heldBack, request, reason);
        }
    }

    private void holdBack(ArrayDeque<PendingRequest> among, PendingRequest request, FallbackReason reason) {
        if (!isHoldingBack()) {
            heldBackFor = reason;
        }
        among.add(request);
    }

    private boolean isHoldingBack() {
        return !leftToTcp.isEmpty() || !handedBack.isEmpty() || !heldBack.isEmpty();
    }

    @Override
    public boolean mayBeWritten(PendingRequest request) {
        return !isHoldingBack();
    }

    @Override
    public void onReply(PendingRequest request, int flags, ByteBuf response) {
        inRing--;
        if ((flags & RingFrame.FLAG_CLOSE_CONNECTION) != 0) {
            request.closeConnection("the broker closes the connection");
        } else if ((flags & RingFrame.FLAG_TAKE_TCP) != 0) {
            isLeftToTcp = true;
            holdBack(leftToTcp, request, FallbackReason.RDMA_OFF);
        } else if ((flags & RingFrame.FLAG_NO_RESPONSE) != 0) {
            request.respondNothing();
        } else {
            request.respond(response);
        }
        releaseHeldBack();
    }

    @Override
    public void onNotWritten(PendingRequest request, LinkObstacle obstacle) {
        inRing--;
        FallbackReason reason = FallbackReason.of(obstacle);
        if (request.isCancelled()) {
            request.fallBack(reason);
        } else {
            holdBack(handedBack, request, reason);
        }
        releaseHeldBack();
    }

    @Override
    public void onOutcomeUnknown(PendingRequest request, String reason) {
        inRing--;
        request.closeConnection("the outcome of a request is unknown: " + reason);
        releaseHeldBack();
    }

    /** The ring has answered all requests of this connection, so the held-back ones cannot overtake any. */
    private void releaseHeldBack() {
        while (inRing == 0 && isHoldingBack()) {
            PendingRequest next = leftToTcp.poll();
            if (next == null) {
                next = (handedBack.isEmpty() ? heldBack : handedBack).poll();
            }
            next.fallBack(heldBackFor);
        }
    }
}
