// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.ring;

import io.netty.buffer.ByteBuf;
import io.slipstream.link.meter.FallbackReason;

/**
 * Submits requests to the ring. Each request ends with exactly one of three calls, on the event loop.
 *
 * @param <R> the requests of this client
 */
public interface RingClient<R extends OutgoingRequest> {
    /** Called before a request that had to wait is written; false returns it by {@link #onNotWritten}. */
    boolean mayBeWritten(R request);

    /**
     * The broker's reply.
     *
     * @param flags see {@link io.slipstream.protocol.ring.RingFrame}
     * @param response the broker's response with its size in front, as it is sent to the client; owned by the callee;
     *     null if a flag excludes a response
     */
    void onReply(R request, int flags, ByteBuf response);

    /** No byte of the request was sent: it may take another path. */
    void onNotWritten(R request, FallbackReason reason);

    /** The link failed after the request was written: it is unknown whether the broker executes it. */
    void onOutcomeUnknown(R request, String reason);
}
