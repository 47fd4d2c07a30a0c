// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.ring;

import io.netty.buffer.ByteBuf;
import io.slipstream.link.LiveLink;
import io.slipstream.link.meter.FallbackReason;
import io.slipstream.link.ring.RingClient;
import io.slipstream.protocol.ring.RingApis;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.proxy.spi.PendingRequest;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * The requests of one client connection that travel in the ring. Confined to its event loop.
 *
 * <p>Order: the ring keeps requests of one session in order, and so does TCP, but there is no order between the two.
 * The session forwards a request that falls back when the ring has answered all others, and submits no later one
 * before. Those that wait for room in the ring fall back behind it. The proxy never resends a written request: if its
 * outcome is unknown, it closes the client's connection and the client decides.
 */
public final class RingPath implements RingClient<PendingRequest> {
    /** Why the ring returned a request, so that none is written behind it; null once the ring has no other. */
    private FallbackReason returnedFor;
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
     * @return null if the ring has the request; otherwise why it fell back
     */
    public FallbackReason submit(LiveLink link, int sessionId, PendingRequest request) {
        FallbackReason reason = isLeftToTcp ? FallbackReason.RDMA_OFF : ineligibility(link, request);
        if (reason == null) {
            inRing++;
            if (link.requests.submit(this, sessionId, request)) {
                return null;
            }
            inRing--;
            reason = link.isUp() ? FallbackReason.RING_FULL : FallbackReason.LINK_DOWN;
        }
        request.fallBack(reason);
        return reason;
    }

    private FallbackReason ineligibility(LiveLink link, PendingRequest request) {
        if (request.frame().readableBytes() > link.requests.maxFrameBytes) {
            return FallbackReason.FRAME_TOO_LARGE;
        } else if (request.apiKey == ApiKeys.PRODUCE.id) {
            return request.produceForRing ? null : FallbackReason.NOT_ELIGIBLE;
        } else if (!link.carriesMoreThanProduce) {
            return FallbackReason.NOT_ELIGIBLE;
        }
        return RingApis.waits(request.apiKey) && link.requests.isHalfUsed() ? FallbackReason.RING_FULL : null;
    }

    @Override
    public boolean mayBeWritten(PendingRequest request) {
        return returnedFor == null;
    }

    @Override
    public void onReply(PendingRequest request, int flags, ByteBuf response) {
        if ((flags & RingFrame.FLAG_CLOSE_CONNECTION) != 0) {
            request.closeConnection("the broker closes the connection");
        } else if ((flags & RingFrame.FLAG_TAKE_TCP) != 0) {
            isLeftToTcp = true;
            giveBack(request, FallbackReason.RDMA_OFF);
        } else if ((flags & RingFrame.FLAG_NO_RESPONSE) != 0) {
            request.respondNothing();
        } else if ((flags & RingFrame.FLAG_NAMES_NO_BROKER) != 0) {
            request.respondAsIs(response);
        } else {
            request.respond(response);
        }
        leave();
    }

    @Override
    public void onNotWritten(PendingRequest request, FallbackReason reason) {
        giveBack(request, reason);
        leave();
    }

    @Override
    public void onOutcomeUnknown(PendingRequest request, String reason) {
        request.closeConnection("the outcome of a request is unknown: " + reason);
        leave();
    }

    /** The ring did not execute the request. */
    private void giveBack(PendingRequest request, FallbackReason reason) {
        if (returnedFor == null) {
            returnedFor = reason;
        }
        request.fallBack(returnedFor);
    }

    /** The ring no longer has the request. */
    private void leave() {
        inRing--;
        if (inRing == 0) {
            returnedFor = null;
        }
    }
}
