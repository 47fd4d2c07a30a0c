// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The right to act for a {@link RingThread}. One handler thread has it at a time. While the owner is in the broker with
 * a request, another handler may take it over. While the owner sleeps, any thread may borrow it, which avoids a
 * wake-up.
 *
 * <pre>
 *   FREE ──takeOver()──▶ AWAKE ──fallAsleep()──▶ ASLEEP ──tryBorrow()──▶ LENT
 *                        ▲ ▲ │                    │  ▲                    │
 *                        │ └─│──────wake()────────┘  └─────giveBack()─────┘
 *                        │   └──enterBroker()──▶ the handler that is in the broker
 *                        └──takeBack() by that handler, or takeOver() by another one
 * </pre>
 *
 * <p>Each step happens before the next one, so plain fields of the ring thread are safe.
 */
final class RingOwnership {
    private static final Object FREE = "free";
    private static final Object AWAKE = "awake";
    private static final Object ASLEEP = "asleep";
    private static final Object LENT = "lent";

    /** One of the constants, or the {@link RingHandler} that is in the broker. */
    private final AtomicReference<Object> state = new AtomicReference<>(FREE);

    private final AtomicLong entries = new AtomicLong();

    /** Any thread: returns whether the owner sleeps and reads no queue until it is woken. */
    boolean isAsleep() {
        Object now = state.get();
        return now == ASLEEP || now == LENT;
    }

    /**
     * Owner thread. After this call the owner reads its queue again, for work that others queued before they saw it
     * asleep.
     */
    void fallAsleep() {
        state.set(ASLEEP);
    }

    /**
     * Owner thread: waits for the borrower. The borrower has a few posts left at most, but the scheduler may have
     * preempted it.
     */
    void wake() {
        while (!state.compareAndSet(ASLEEP, AWAKE)) {
            Thread.yield();
        }
    }

    /** Any other thread. After true it must call {@link #giveBack}. */
    boolean tryBorrow() {
        return state.compareAndSet(ASLEEP, LENT);
    }

    /** Borrower. After this call it reads the queue again, for work that others queued while it held the loan. */
    void giveBack() {
        state.set(ASLEEP);
    }

    /** Owner thread: any other handler may take over from now on. */
    void enterBroker(RingHandler owner) {
        entries.lazySet(entries.get() + 1);
        state.set(owner);
    }

    /** A handler that is back from the broker: returns whether it is still the owner. */
    boolean takeBack(RingHandler handler) {
        return state.compareAndSet(handler, AWAKE);
    }

    /** Another handler: becomes the owner in place of that one, or of none if null. */
    boolean takeOver(RingHandler absent) {
        return state.compareAndSet(absent == null ? FREE : absent, AWAKE);
    }

    /** Owner thread: leaves for good. */
    void free() {
        state.set(FREE);
    }

    boolean isFree() {
        return state.get() == FREE;
    }

    /** Any thread: returns the owner if it is in the broker, else null. */
    RingHandler inBroker() {
        return state.get() instanceof RingHandler handler ? handler : null;
    }

    /** Any thread: returns how often owners have entered the broker. */
    long entries() {
        return entries.get();
    }
}
