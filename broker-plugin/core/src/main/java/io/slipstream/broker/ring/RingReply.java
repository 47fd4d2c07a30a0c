// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import io.slipstream.protocol.ring.RingFrame;
import java.nio.ByteBuffer;

/**
 * The answer to a request, on its way to the proxy. Any thread creates it and passes it to {@link RingLink#reply}. The
 * link's owner thread then calls the other methods, each once.
 */
public abstract class RingReply {
    private final RingFrameIn frame;
    private final int flags;

    /** @param flags {@link RingFrame}'s reply flags, 0 for a response */
    protected RingReply(RingFrameIn frame, int flags) {
        this.frame = frame;
        this.flags = flags;
    }

    /** Makes a reply that consists of its flags. */
    static RingReply ofFlags(RingFrameIn frame, int flags) {
        return new RingReply(frame, flags) {};
    }

    public final RingFrameIn frame() {
        return frame;
    }

    public final int flags() {
        return flags;
    }

    public int payloadBytes() {
        return 0;
    }

    /**
     * Writes exactly {@link #payloadBytes} bytes, from the buffer's position to its limit. The buffer must not be kept:
     * it is reused for the next reply.
     */
    public void writeTo(ByteBuffer target) {}

    /** The reply was posted, or the link is gone and it is dropped. Must not throw. */
    public void onDone() {}
}
