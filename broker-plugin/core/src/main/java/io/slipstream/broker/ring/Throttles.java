// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import java.util.concurrent.atomic.AtomicReference;

/**
 * Sessions of a link with a throttling change that the proxy does not know yet. Like {@link Doorbells} it is a set of
 * states, not a queue. The broker may end many throttlings at once, long after it answered the requests, so credits do
 * not bound their number. But each session has only one state to send.
 */
final class Throttles {
    /** A stack, linked by {@link RingSession#nextChanged}. A session is in it or in {@link #taken} at most once. */
    private final AtomicReference<RingSession> changed = new AtomicReference<>();
    /** Owner thread: sessions that were taken from the stack and not sent yet. */
    private RingSession taken;

    /** Any thread: the broker starts or ends the throttling of the session for one request. */
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

    /** Owner thread: returns a session to send, which stays until {@link #told}; null if there is none. */
    RingSession peek() {
        if (taken == null && changed.get() != null) {
            taken = changed.getAndSet(null);
        }
        return taken;
    }

    /** Owner thread: the proxy has this state of the session that {@link #peek} returned. */
    void told(boolean throttled) {
        RingSession session = taken;
        session.throttledAtProxy = throttled;
        taken = session.nextChanged;
        session.nextChanged = null;
        session.isChanged.set(false);
        // A change before the previous line did not add the session again.
        if (session.isThrottled() != throttled) {
            note(session);
        }
    }
}
