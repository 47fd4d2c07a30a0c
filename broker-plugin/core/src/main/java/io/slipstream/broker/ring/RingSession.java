// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import io.slipstream.broker.session.BoundSession;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A bound client connection as the request ring sees it.
 *
 * <p>Any thread may end it or replace its context. The <em>barrier</em> belongs to the link's owner thread. Transaction
 * verification may continue an append on another thread after handling has returned. Until then later requests of the
 * session wait, so that batches of one connection are appended in order.
 */
public final class RingSession {
    public final BoundSession bound;

    /**
     * Number of requests for which the broker throttles the connection. {@link Throttles} uses this field and the next
     * three.
     */
    final AtomicInteger throttles = new AtomicInteger();

    final AtomicBoolean isChanged = new AtomicBoolean();
    RingSession nextChanged;
    boolean throttledAtProxy;

    /** Owner thread: turn of {@link RingThread} in which the last request of this session was handed out. */
    long handedOutIn = -1;

    /**
     * Owner thread: leave this request and all later ones in the ring to TCP, so that no later request is appended
     * before an earlier one.
     */
    boolean isLeftToTcp;

    /**
     * Whether handling the last request took so long that the next one may, too. The handler of a request writes it,
     * before it passes on that the request is handled.
     */
    boolean isSlow;

    /** The request that the broker may never answer, until somebody takes the right to answer it. */
    private final AtomicReference<RingFrameIn> late = new AtomicReference<>();

    private boolean acksAll;
    private RingFrameIn barrier;
    private final ArrayDeque<RingFrameIn> held = new ArrayDeque<>(0);

    public RingSession(BoundSession bound) {
        this.bound = bound;
    }

    public int sessionId() {
        return bound.sessionId;
    }

    boolean isThrottled() {
        return throttles.get() > 0;
    }

    /**
     * Owner thread, for each request: notes whether it asks for acks=all, as requests of idempotent producers do. The
     * next request of such a session is handed out only after a present answer is posted. A killed broker remembers
     * only the last batch of each idempotent producer. If two appended batches are unanswered, the retry of one would
     * be appended twice.
     */
    public void setAcksAll(boolean asked) {
        acksAll = asked;
    }

    /** Owner thread: returns whether waiting replies may wait for one more request of this session. */
    boolean mayHoldReplies(long now) {
        return !acksAll || handedOutIn != now;
    }

    /**
     * Owner thread: the broker answers this request when other members of the group allow it. It never answers if the
     * member joins again on another connection. So the end of the session answers it. Returns false if the session has
     * ended, or has another such request.
     */
    public boolean answerLate(RingFrameIn frame) {
        boolean isOnly = late.compareAndSet(null, frame);
        frame.isLate = isOnly;
        return isOnly && !bound.isEnded();
    }

    /** Any thread: takes the right to answer the request. Returns false if the end of the session has answered it. */
    boolean takeAnswer(RingFrameIn frame) {
        return !frame.isLate || late.compareAndSet(frame, null);
    }

    /** Any thread: takes the right to answer the request that the broker may never answer; null if there is none. */
    RingFrameIn takeLate() {
        return late.getAndSet(null);
    }

    /** Owner thread: makes later requests wait until this one is answered. Keeps bytes that are not moved out. */
    public void setBarrier(RingFrameIn frame) {
        barrier = frame;
        frame.isKept = true;
    }

    /** Owner thread: another handler has this request; later ones wait until it is handled. */
    void waitFor(RingFrameIn frame) {
        if (barrier == null) {
            barrier = frame;
        }
    }

    /** Owner thread: the other handler is done with this request. */
    void handled(RingFrameIn frame, ArrayDeque<RingFrameIn> ready) {
        if (!frame.isKept) {
            liftBarrier(frame, ready);
        }
    }

    /** Owner thread: keeps the frame back if there is a barrier. Returns whether it did. */
    boolean holdBack(RingFrameIn frame) {
        if (barrier == null) {
            return false;
        }
        frame.isHeld = true;
        held.addLast(frame);
        return true;
    }

    /**
     * Owner thread: returns the held frames to the front of the queue, in their order, if they waited for this frame.
     */
    void liftBarrier(RingFrameIn frame, ArrayDeque<RingFrameIn> ready) {
        if (barrier == frame) {
            barrier = null;
            while (!held.isEmpty()) {
                RingFrameIn last = held.removeLast();
                last.isHeld = false;
                ready.addFirst(last);
            }
        }
    }
}
