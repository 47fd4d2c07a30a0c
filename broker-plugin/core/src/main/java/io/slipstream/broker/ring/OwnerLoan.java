// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The right to act for a ring thread. While the owner is awake, only the owner acts. While the owner sleeps, one other
 * thread at a time may borrow the right, which avoids a wake-up.
 *
 * <pre>
 *   AWAKE ──fallAsleep()──▶ ASLEEP ──tryBorrow()──▶ LENT
 *     ▲                      │  ▲                    │
 *     └─────────wake()───────┘  └─────giveBack()─────┘
 * </pre>
 *
 * <p>Each step happens before the next one, so plain fields of the ring thread are safe.
 */
final class OwnerLoan {
    private static final int AWAKE = 0;
    private static final int ASLEEP = 1;
    private static final int LENT = 2;

    private final AtomicInteger state = new AtomicInteger(AWAKE);

    /** Any thread: returns whether the owner sleeps and reads no queue until it is woken. */
    boolean isAsleep() {
        return state.get() != AWAKE;
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
}
