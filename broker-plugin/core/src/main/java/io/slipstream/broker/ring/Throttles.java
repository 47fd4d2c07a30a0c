// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import java.util.concurrent.atomic.AtomicReference;

/**
 * Sessions of a link whose throttling changed and whose proxy has not been told. A set of states rather than a queue of
 * notes, as {@link Doorbells} is: the broker ends throttlings long after it answered their requests, so credits do not
 * bound how many end at once, but no session has more than one state to tell.
 */
final class Throttles {
    /**
     * Linked by {@link RingSession#nextChanged}, newest first; a session is in it, or in {@link #taken}, at most once.
     */
    private final AtomicReference<RingSession> changed = new AtomicReference<>();
    /** Owner thread: what it took and has not told yet. */
    private RingSession taken;

    /** Any thread: the broker throttles the session for one request more, or no longer for one. */
    void change(RingSession session, boolean start) {
        session.throttles.getAndAdd(start ? 1 : -1);
        note(session);
    }

    private void note(RingSession session) {
        if (session.isChanged.compareAndSet(false, true)) {
            RingSession head;
            do {
                head = changed.get();
                session.nextChanged = head;
            } while (!changed.compareAndSet(head, session));
        }
    }

    /** Owner thread: a session to tell of, which stays until {@link #told}; null if there is none. */
    RingSession peek() {
        if (taken == null && changed.get() != null) {
            taken = changed.getAndSet(null);
        }
        return taken;
    }

    /** Owner thread: the proxy knows of the session that {@link #peek} gave what it is to know. */
    void told(boolean throttled) {
        RingSession session = taken;
        session.throttledAtProxy = throttled;
        taken = session.nextChanged;
        session.nextChanged = null;
        session.isChanged.set(false);
        // Who changed it before that line left it to us.
        if (session.isThrottled() != throttled) {
            note(session);
        }
    }

    boolean isEmpty() {
        return taken == null && changed.get() == null;
    }
}
