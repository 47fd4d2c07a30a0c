// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

import java.util.function.LongSupplier;

/**
 * Whether a thread looks for work for a bounded time before it sleeps: while that pays, because waking a processor
 * takes longer than a request. After two net failures, the next 128 spins are skipped. For one thread at a time;
 * allocates nothing.
 */
public final class AdaptiveSpin {
    static final int MOST_IN_VAIN = 2;
    static final int REST = 128;

    private final long spinNs;
    private final LongSupplier clockNs;
    private final SpinPause pause;
    private boolean spinning;
    private long startNs;
    private int restLeft;
    /** Failed spins less successful ones, from 0 to the limit. */
    private int inVain;

    /**
     * @param spinNs length of a spin; 0 to sleep at once
     * @param yield lets other threads of this processor run
     */
    public AdaptiveSpin(long spinNs, LongSupplier clockNs, Runnable yield) {
        this.spinNs = spinNs;
        this.clockNs = clockNs;
        this.pause = new SpinPause(clockNs, yield);
    }

    /** Whether to look now, and then to report it with {@link #looked}; false to sleep. */
    public boolean mayLook() {
        if (spinning) {
            pause.pause();
            spinning = clockNs.getAsLong() - startNs < spinNs;
            if (!spinning) {
                inVain = Math.min(MOST_IN_VAIN, inVain + 1);
                restLeft = inVain == MOST_IN_VAIN ? REST : 0;
            }
        } else if (restLeft > 0) {
            restLeft--;
        } else if (spinNs > 0) {
            spinning = true;
            startNs = clockNs.getAsLong();
        }
        return spinning;
    }

    /** Reports how much a look has found, and returns that. If it is not 0, the spin has succeeded. */
    public int looked(int found) {
        if (found > 0) {
            spinning = false;
            inVain = Math.max(0, inVain - 1);
        }
        return found;
    }
}
