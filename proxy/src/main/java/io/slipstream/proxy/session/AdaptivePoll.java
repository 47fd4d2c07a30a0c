// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Has an event loop look at its sockets again and again for a bounded time before it sleeps, while that pays: who waits
 * for an answer before it asks again asks again soon, and a processor that sleeps takes longer to wake than a request
 * takes. It does not pay where nothing comes so soon, nor where who is to ask runs on the same processor: with two more
 * tries in vain than others, the loop sleeps at once the next 128 times, before it tries once more. For one event loop;
 * allocates nothing.
 */
final class AdaptivePoll implements SelectStrategy {
    static final int MOST_IN_VAIN = 2;
    static final int REST = 128;

    private final long spinNs;
    private final LongSupplier clockNs;
    private long startNs;
    private boolean spinning;
    /** Tries in vain beyond those that paid, from 0 to the most. */
    private int inVain;

    private int restLeft;

    /** @param spinNs 0 to sleep at once */
    AdaptivePoll(long spinNs, LongSupplier clockNs) {
        this.spinNs = spinNs;
        this.clockNs = clockNs;
    }

    /** Returns how many descriptors are ready, 0 to be asked again at once, or SELECT to sleep until one is. */
    @Override
    public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
        if (hasTasks) {
            return selectNow.get();
        } else if (spinning) {
            return spin(selectNow);
        } else if (spinNs == 0) {
            return SELECT;
        } else if (restLeft > 0) {
            restLeft--;
            return SELECT;
        }
        spinning = true;
        startNs = clockNs.getAsLong();
        return spin(selectNow);
    }

    private int spin(IntSupplier selectNow) throws Exception {
        int ready = selectNow.get();
        if (ready > 0) {
            spinning = false;
            inVain = Math.max(0, inVain - 1);
            return ready;
        } else if (clockNs.getAsLong() - startNs < spinNs) {
            return 0;
        }
        spinning = false;
        inVain = Math.min(MOST_IN_VAIN, inVain + 1);
        restLeft = inVain == MOST_IN_VAIN ? REST : 0;
        return SELECT;
    }
}
