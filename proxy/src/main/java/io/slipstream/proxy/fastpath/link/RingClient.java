package io.slipstream.proxy.fastpath.link;

import io.netty.buffer.ByteBuf;
import io.slipstream.proxy.fastpath.FallbackReason;
import io.slipstream.proxy.fastpath.PendingRequest;

/** Whose requests ride the ring. Exactly one of the three ends is reported for each request, on the event loop. */
public interface RingClient {
    /** Asked before a request that had to wait is written; false hands it back through {@link #onNotWritten}. */
    boolean mayBeWritten(PendingRequest request);

    /**
     * The broker's reply.
     *
     * @param flags see {@link io.slipstream.protocol.ring.RingFrame}
     * @param response the broker's response with its size first, as it will be sent; owned by the callee; null if a flag says that there is none
     */
    void onReply(PendingRequest request, int flags, ByteBuf response);

    /** Not a byte of the request has left: it may take another path. */
    void onNotWritten(PendingRequest request, FallbackReason reason);

    /** The link broke after the request was written: whether the broker acts on it cannot be known. */
    void onOutcomeUnknown(PendingRequest request, String reason);
}
