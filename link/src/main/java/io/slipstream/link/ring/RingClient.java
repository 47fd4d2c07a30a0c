// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.ring;

import io.netty.buffer.ByteBuf;
import io.slipstream.link.control.LinkObstacle;

/**
 * Hands requests to the ring. Exactly one of the three ends is reported for each request, on the event loop.
 *
 * @param <R> the requests of this client
 */
public interface RingClient<R extends OutgoingRequest> {
    /** Asked before a request that had to wait is written; false hands it back through {@link #onNotWritten}. */
    boolean mayBeWritten(R request);

    /**
     * The broker's reply.
     *
     * @param flags see {@link io.slipstream.protocol.ring.RingFrame}
     * @param response the broker's response with its size first, as it will be sent; owned by the callee; null if a
     *     flag says that there is none
     */
    void onReply(R request, int flags, ByteBuf response);

    /** Not a byte of the request has left: it may take another path. */
    void onNotWritten(R request, LinkObstacle reason);

    /** The link broke after the request was written: whether the broker acts on it cannot be known. */
    void onOutcomeUnknown(R request, String reason);
}
