// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import io.slipstream.protocol.ring.RingCursor;
import io.slipstream.protocol.ring.RingFrame;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.function.IntFunction;

/**
 * The reading side of a link's request ring. The peer is not trusted. Each header field is read once. A frame is
 * accepted only if immediate data, position, length, magic, flags and sequence are those of a correct writer's next
 * frame. Owner thread only.
 *
 * <p>Each request is copied to memory of the broker's own, at the same offset, before anything but its header is read.
 * Space that is free in the ring is free there, so the copies need no account of their own.
 *
 * <p>Space is released in ring order: a finished frame waits for older ones.
 */
public final class RequestRingReader {
    private final ByteBuffer memory;
    final RingCursor cursor;
    private final int credits;
    private final IntFunction<RingSession> sessions;
    private final ArrayDeque<RingFrameIn> unreleased;
    final RingUse use = new RingUse();
    private final ByteBuffer copies;

    private long nextSequence;
    /** Requests that are neither answered nor released. Each holds a credit. */
    private int unhandledRequests;

    private int unansweredRequests;
    /** Bytes of unanswered requests with memory of their own. They are at most as many as those of the ring. */
    private int movedBytes;

    private long released;
    private long published;
    private long publishedSequence;

    /**
     * @param memory the ring, little-endian, limit = its size
     * @param copies memory of the broker's own, of the ring's size
     * @param credits largest number of requests that are neither answered nor released
     * @param sessions returns the session of an id, null if there is none
     */
    public RequestRingReader(ByteBuffer memory, ByteBuffer copies, int credits, IntFunction<RingSession> sessions) {
        this.memory = memory;
        this.copies = copies;
        this.cursor = new RingCursor(memory.capacity());
        this.credits = credits;
        this.sessions = sessions;
        this.unreleased = new ArrayDeque<>(credits);
    }

    /**
     * Returns the frame that the immediate data announces. Throws {@link IllegalFrameException} if it is not valid; the
     * link must then break.
     */
    public RingFrameIn take(RingLink link, int imm) {
        long start = cursor.startOf(imm);
        if (start < 0) {
            throw new IllegalFrameException("immediate data " + imm + " does not continue at " + cursor.position());
        }
        int offset = cursor.offsetOf(start);
        int magic = memory.getInt(offset + RingFrame.MAGIC_OFFSET);
        int flags = memory.getInt(offset + RingFrame.FLAGS_OFFSET);
        long sequence = memory.getLong(offset + RingFrame.SEQUENCE_OFFSET);
        int sessionId = memory.getInt(offset + RingFrame.SESSION_OFFSET);
        int payloadBytes = memory.getInt(offset + RingFrame.LENGTH_OFFSET);
        if (magic != RingFrame.MAGIC) {
            throw new IllegalFrameException("magic " + Integer.toHexString(magic) + " at " + start);
        } else if (sequence != nextSequence) {
            throw new IllegalFrameException("sequence " + sequence + " instead of " + nextSequence);
        } else if (flags != 0) {
            throw new IllegalFrameException("a request with flags " + Integer.toHexString(flags));
        } else if (unhandledRequests >= credits) {
            throw new IllegalFrameException("more than " + credits + " requests unhandled");
        } else if (unansweredRequests >= RingFrame.mostUnanswered(credits)) {
            throw new IllegalFrameException("more than " + unansweredRequests + " requests unanswered");
        } else if (!cursor.advance(start, payloadBytes)) {
            throw new IllegalFrameException("a frame of " + payloadBytes + " bytes does not belong at " + start);
        }
        // Compare with the start of the oldest frame, not with the newest released end. A writer whose ring is empty
        // may skip to the next lap, and the skipped bytes hold nothing unread.
        released();
        long oldestUnread = unreleased.isEmpty() ? start : unreleased.peekFirst().start;
        if (cursor.position() - oldestUnread > memory.capacity()) {
            throw new IllegalFrameException("frame at " + start + " overwrites unreleased ones");
        } else if (cursor.hasRestarted && !unreleased.isEmpty()) {
            throw new IllegalFrameException("a lap begins early at " + start + ", after unreleased frames");
        }
        freeHeld();
        nextSequence++;
        unhandledRequests++;
        unansweredRequests++;
        RingSession session = sessions.apply(sessionId);
        int at = offset + RingFrame.HEADER_BYTES;
        // A request without a session is refused and never read.
        ByteBuffer payload =
                (session == null ? memory : copies.put(at, memory, at, payloadBytes)).slice(at, payloadBytes);
        RingFrameIn frame = new RingFrameIn(link, session, sessionId, sequence, start, cursor.position(), payload);
        unreleased.addLast(frame);
        updateUse();
        return frame;
    }

    /** If space or credits are scarce: frees the space of the oldest requests, if they wait for others. */
    private void freeHeld() {
        RingFrameIn oldest = unreleased.peekFirst();
        while (oldest != null && oldest.isHeld && isScarce(oldest) && moveOut(oldest)) {
            oldest.releaseBytes();
            released();
            oldest = unreleased.peekFirst();
        }
    }

    private boolean isScarce(RingFrameIn oldest) {
        return cursor.position() - oldest.start > memory.capacity() / 2 || unhandledRequests >= credits / 2;
    }

    /**
     * Gives a request memory of its own, so that its space in the ring can be released before its answer. Returns
     * false if all such requests together would have more bytes than the ring, or if there is no memory. The request
     * then keeps its space.
     */
    boolean moveOut(RingFrameIn frame) {
        int sizeBytes = frame.payload().capacity();
        if (sizeBytes > memory.capacity() - movedBytes) {
            return false;
        }
        try {
            frame.move();
        } catch (OutOfMemoryError e) {
            return false;
        }
        movedBytes += sizeBytes;
        return true;
    }

    /** Marks the frame as answered, just before its answer is posted. */
    public void onAnswered(RingFrameIn frame) {
        frame.answered = true;
        if (frame.isMoved) {
            movedBytes -= frame.payload().capacity();
        }
        unansweredRequests--;
        if (frame.end > released) {
            unhandledRequests--;
        }
        updateUse();
    }

    /** Returns the released position of the ring, which each reply carries. */
    public long released() {
        if (!unreleased.isEmpty() && unreleased.peekFirst().isComplete()) {
            do {
                RingFrameIn frame = unreleased.removeFirst();
                released = frame.end;
                if (!frame.answered) {
                    unhandledRequests--;
                }
            } while (!unreleased.isEmpty() && unreleased.peekFirst().isComplete());
            updateUse();
        }
        return released;
    }

    /** A frame that was just posted carries the released position. */
    public void onPublished() {
        published = released;
        publishedSequence = nextSequence - unreleased.size();
    }

    /** Returns whether no posted frame has carried the released position. */
    boolean isUnpublished() {
        return released() != published;
    }

    /** Returns whether a quarter of the ring or of the credits is released, and no posted frame has carried this. */
    boolean isMuchUnpublished() {
        return released() - published >= memory.capacity() / 4
                || nextSequence - unreleased.size() - publishedSequence > credits / 4;
    }

    private void updateUse() {
        RingFrameIn oldest = unreleased.peekFirst();
        use.update(
                unhandledRequests,
                unansweredRequests - unhandledRequests,
                oldest == null ? 0 : (int) (cursor.position() - oldest.start),
                movedBytes);
    }

    /** Returns whether the broker is done with all frames. */
    boolean isDrained() {
        released();
        return unreleased.isEmpty() && unansweredRequests == 0;
    }
}
