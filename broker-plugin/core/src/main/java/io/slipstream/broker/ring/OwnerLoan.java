// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Which thread may act for a ring thread. While the owner is awake, only the owner does. While the owner sleeps, one
 * other thread at a time may borrow its place, which avoids a wake-up.
 *
 * <pre>
 *   AWAKE ──fallAsleep()──▶ ASLEEP ──tryBorrow()──▶ LENT
 *     ▲                      │  ▲                    │
 *     └─────────wake()───────┘  └─────giveBack()─────┘
 * </pre>
 *
 * <p>Each step happens before the next one, so that plain fields go with it.
 */
final class OwnerLoan {
    private static final int AWAKE = 0;
    private static final int ASLEEP = 1;
    private static final int LENT = 2;

    private final AtomicInteger state = new AtomicInteger(AWAKE);

    /** Any thread: whether the owner looks at nothing before it is woken. */
    boolean isAsleep() {
        return state.get() != AWAKE;
    }

    /** Owner thread. It looks again after this call for work that others left before they saw it asleep. */
    void fallAsleep() {
        state.set(ASLEEP);
    }

    /** Owner thread: waits for the borrower, which has a few posts to do at most but may have lost its CPU. */
    void wake() {
        while (!state.compareAndSet(ASLEEP, AWAKE)) {
            Thread.yield();
        }
    }

    /** Any other thread; on true it must {@link #giveBack}. */
    boolean tryBorrow() {
        return state.compareAndSet(ASLEEP, LENT);
    }

    /** Borrower. It looks again after this call for work that others left because the place was lent. */
    void giveBack() {
        state.set(ASLEEP);
    }
}
