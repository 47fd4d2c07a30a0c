// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import io.slipstream.broker.session.BoundSession;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A bound client connection as the request ring sees it.
 *
 * <p>Any thread may end it or replace its context. The <em>barrier</em> belongs to the link's owner thread: while the
 * appending of a request may continue on another thread after handling returned (transaction verification), later
 * requests of the same session wait, so that batches of one connection are appended in order.
 */
public final class RingSession {
    private final BoundSession bound;
    private boolean untrusted;

    /** Requests for which the broker throttles the connection. See {@link Throttles}, as for the next three. */
    final AtomicInteger throttles = new AtomicInteger();

    final AtomicBoolean isChanged = new AtomicBoolean();
    RingSession nextChanged;
    boolean throttledAtProxy;

    /** Owner thread: when a request of this session was handed out last, as {@link RingThread} counts. */
    long handedOutIn = -1;

    private boolean acksAll;
    private boolean leftToTcp;
    private RingFrameIn barrier;
    private final ArrayDeque<RingFrameIn> held = new ArrayDeque<>(0);

    public RingSession(BoundSession bound) {
        this.bound = bound;
    }

    /** Control thread, before the session is bound: its proxy might change what it has landed. */
    public void distrust() {
        untrusted = true;
    }

    /** Whether its requests are copied out of memory that the proxy can write before anything of them is read. */
    public boolean isUntrusted() {
        return untrusted;
    }

    public int sessionId() {
        return bound.sessionId();
    }

    public BoundSession bound() {
        return bound;
    }

    /** The broker's {@code RequestContext} as whose principal, listener and client requests are handled. */
    public Object requestContext() {
        return bound.requestContext();
    }

    /**
     * Also true once the client's authentication expired: the next request's arrival is when a broker closes the
     * connection.
     */
    public boolean isEnded() {
        return bound.isEnded();
    }

    /** Requests that arrive from now on are answered by closing the connection. */
    public void end() {
        bound.end();
    }

    /**
     * Owner thread: this request and what follows on the ring is left to TCP, so that no later request is appended
     * before an earlier one.
     */
    void leaveToTcp() {
        leftToTcp = true;
    }

    /** Owner thread. */
    boolean isLeftToTcp() {
        return leftToTcp;
    }

    boolean isThrottled() {
        return throttles.get() > 0;
    }

    /**
     * Owner thread, of each request: whether it asks for acks=all, as all of idempotent producers do. Such a session's
     * next request is not handed out before the last answer is posted, if there is one yet: a broker that is killed
     * remembers the last batch of each idempotent producer only, and with two that it appended and told nobody of, one
     * is appended twice.
     */
    public void setAcksAll(boolean asked) {
        acksAll = asked;
    }

    /** Owner thread: whether what is to be posted may wait for another request of this session. */
    boolean mayHoldReplies(long now) {
        return !acksAll || handedOutIn != now;
    }

    /** Owner thread: later requests wait until this one is answered. */
    public void setBarrier(RingFrameIn frame) {
        barrier = frame;
    }

    /** Owner thread: keeps the frame back if it has to wait. */
    boolean holdBack(RingFrameIn frame) {
        if (barrier == null) {
            return false;
        }
        held.addLast(frame);
        return true;
    }

    /** Owner thread: gives the frames that waited for this one back to the front of the queue, in their order. */
    void liftBarrier(RingFrameIn frame, ArrayDeque<RingFrameIn> ready) {
        if (barrier == frame) {
            barrier = null;
            while (!held.isEmpty()) {
                ready.addFirst(held.removeLast());
            }
        }
    }
}
