// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import java.nio.ByteBuffer;

/**
 * A request in a link's request ring. It belongs to the owner of the rings, except where noted. Its ring space is
 * released once the broker has released its bytes, which may be long before the answer.
 */
public final class RingFrameIn {
    private final RingLink link;
    private final RingSession session;
    private final int sessionId;
    private final long sequence;
    private final long start;
    private final long end;
    private final ByteBuffer payload;
    private long takenAtNs;
    private boolean answered;
    private volatile boolean bytesReleased;
    private boolean isKept;

    RingFrameIn(
            RingLink link,
            RingSession session,
            int sessionId,
            long sequence,
            long start,
            long end,
            ByteBuffer payload) {
        this.link = link;
        this.session = session;
        this.sessionId = sessionId;
        this.sequence = sequence;
        this.start = start;
        this.end = end;
        this.payload = payload;
    }

    public RingLink link() {
        return link;
    }

    public RingSession session() {
        return session;
    }

    public int sessionId() {
        return sessionId;
    }

    public long sequence() {
        return sequence;
    }

    /** Returns the ring position of the frame. */
    public long start() {
        return start;
    }

    /** Returns the ring position after the frame. */
    public long end() {
        return end;
    }

    /**
     * Returns the Kafka request, from its header on, big-endian. It is the broker's own copy. A frame without a session
     * has none, and must not be read.
     */
    public ByteBuffer payload() {
        return payload;
    }

    /** Any thread: releases the bytes, after handling. */
    public void releaseBytes() {
        bytesReleased = true;
    }

    /** The broker may read the bytes until it answers, although it releases them before. */
    void keepUntilAnswered() {
        isKept = true;
    }

    boolean isKept() {
        return isKept;
    }

    void takenAt(long nanoTime) {
        takenAtNs = nanoTime;
    }

    /** Returns the {@link System#nanoTime} at which the frame was taken from the completion queue. */
    long takenAtNs() {
        return takenAtNs;
    }

    void markAnswered() {
        answered = true;
    }

    boolean isAnswered() {
        return answered;
    }

    /** Returns whether nobody reads the bytes any more. */
    boolean isComplete() {
        return bytesReleased && (answered || !isKept);
    }
}
