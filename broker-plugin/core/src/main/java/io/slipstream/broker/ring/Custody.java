package io.slipstream.broker.ring;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Who may touch what belongs to a ring thread: the thread itself while it is awake, and one other at a time while it sleeps, who so spares it a wake-up.
 *
 * <pre>
 *   AWAKE ──fallAsleep()──▶ ASLEEP ──tryBorrow()──▶ LENT
 *     ▲                      │  ▲                    │
 *     └─────────wake()───────┘  └─────giveBack()─────┘
 * </pre>
 *
 * <p>Each step happens before the next one, so that plain fields go with it.
 */
final class Custody {
    private static final int AWAKE = 0;
    private static final int ASLEEP = 1;
    private static final int LENT = 2;

    private final AtomicInteger state = new AtomicInteger(AWAKE);

    /** Any thread: whether the owner looks at nothing before it is woken. */
    boolean isAsleep() {
        return state.get() != AWAKE;
    }

    /** Owner thread. What others leave before they see it asleep it has to look for behind this. */
    void fallAsleep() {
        state.set(ASLEEP);
    }

    /** Owner thread: waits for a borrower, who has a few posts to do at most but may have lost its processor. */
    void wake() {
        while (!state.compareAndSet(ASLEEP, AWAKE)) {
            Thread.yield();
        }
    }

    /** Any other thread; on true it must {@link #giveBack}. */
    boolean tryBorrow() {
        return state.compareAndSet(ASLEEP, LENT);
    }

    /** Borrower. What others left meanwhile, because it was lent, it has to look for behind this. */
    void giveBack() {
        state.set(ASLEEP);
    }
}
