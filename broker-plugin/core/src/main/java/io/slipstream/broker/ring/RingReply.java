package io.slipstream.broker.ring;

import io.slipstream.protocol.ring.RingFrame;
import java.nio.ByteBuffer;

/**
 * A frame on its way to the proxy. Made by any thread, given to {@link RingLink#reply}; the other methods are then called by the
 * link's owner thread, each once.
 */
public abstract class RingReply {
    private static final int THROTTLE_FLAGS = RingFrame.FLAG_THROTTLE_START | RingFrame.FLAG_THROTTLE_END;

    private final LandedFrame frame;
    private final int flags;

    /** @param flags {@link RingFrame}'s reply flags, 0 for a response */
    protected RingReply(LandedFrame frame, int flags) {
        this.frame = frame;
        this.flags = flags;
    }

    /** A reply that is its flags only. */
    static RingReply ofFlags(LandedFrame frame, int flags) {
        return new RingReply(frame, flags) {};
    }

    public final LandedFrame frame() {
        return frame;
    }

    public final int flags() {
        return flags;
    }

    /** Whether this is the one answer of the request, rather than a frame in addition. */
    final boolean isAnswer() {
        return (flags & THROTTLE_FLAGS) == 0;
    }

    public int payloadBytes() {
        return 0;
    }

    /** Writes exactly {@link #payloadBytes} to the buffer. */
    public void writeTo(ByteBuffer target) {}

    /** The frame was posted, or the link is gone and it never will be. Must not throw. */
    public void onDone() {}
}
