// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import java.nio.ByteBuffer;

/**
 * A request in a link's request ring. It belongs to the owner of the rings, except where noted. Its ring space is
 * released once the broker has released its bytes, which may be long before the answer.
 */
public final class RingFrameIn {
    public final RingLink link;
    /** Null if the link has no such session. */
    public final RingSession session;

    private ByteBuffer payload;
    public final int sessionId;
    public final long sequence;
    /** The ring position of the frame. */
    public final long start;
    /** The ring position after the frame. */
    public final long end;

    /** The {@link System#nanoTime} at which the frame was taken from the completion queue. */
    long takenAtNs;

    boolean answered;
    /** The broker may answer after minutes, or never; see {@link RingSession#answerLate}. */
    boolean isLate;
    /** The broker may read the bytes until it answers, although it releases them before. */
    boolean isKept;
    /** Waits for an earlier request of its session. */
    boolean isHeld;
    /** The bytes are in memory of this request's own; see {@link RequestRingReader#moveOut}. */
    boolean isMoved;

    /** Whether the answer is known to name no broker's address. Set before the answer is handed to the link. */
    public boolean namesNoBroker;

    private volatile boolean bytesReleased;

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

    /**
     * Returns the Kafka request, from its header on, big-endian. It is the broker's own copy. A frame without a session
     * has none, and must not be read.
     */
    public ByteBuffer payload() {
        return payload;
    }

    /** Owner thread: as {@link RequestRingReader#moveOut}. The payload is another buffer then. */
    public boolean moveOut() {
        return link.requests.moveOut(this);
    }

    /** Copies the bytes to memory of this request's own. Throws OutOfMemoryError. */
    void move() {
        payload = ByteBuffer.allocate(payload.capacity()).put(0, payload, 0, payload.capacity());
        isMoved = true;
    }

    /** Any thread: releases the bytes, after handling. */
    public void releaseBytes() {
        bytesReleased = true;
    }

    /** Returns whether nobody reads the bytes any more. */
    boolean isComplete() {
        return bytesReleased && (answered || isMoved || !isKept);
    }
}
