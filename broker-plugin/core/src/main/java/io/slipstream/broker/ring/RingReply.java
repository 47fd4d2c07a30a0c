// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import io.slipstream.protocol.ring.RingFrame;
import java.nio.ByteBuffer;

/**
 * The answer to a request, on its way to the proxy. Made by any thread, given to {@link RingLink#reply}; the other
 * methods are then called by the link's owner thread, each once.
 */
public abstract class RingReply {
    private final RingFrameIn frame;
    private final int flags;

    /** @param flags {@link RingFrame}'s reply flags, 0 for a response */
    protected RingReply(RingFrameIn frame, int flags) {
        this.frame = frame;
        this.flags = flags;
    }

    /** A reply that is its flags only. */
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
     * Writes exactly {@link #payloadBytes}, from the buffer's position to its limit. The buffer is the next reply's
     * afterwards.
     */
    public void writeTo(ByteBuffer target) {}

    /** The frame was posted, or the link is gone and it never will be. Must not throw. */
    public void onDone() {}
}
