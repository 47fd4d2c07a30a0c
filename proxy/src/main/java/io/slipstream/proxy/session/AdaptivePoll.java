// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Polls the sockets of an event loop for a bounded time before it sleeps, while that pays: a client that waits for an
 * answer sends its next request soon, and waking a processor takes longer than a request. Spinning is useless when
 * requests are rare or when the client shares our core. After two net failures, the next 128 spins are skipped. For one
 * event loop; allocates nothing.
 */
final class AdaptivePoll implements SelectStrategy {
    static final int MOST_IN_VAIN = 2;
    static final int REST = 128;

    private final long spinNs;
    private final LongSupplier clockNs;
    private long startNs;
    private boolean spinning;
    /** Failed spins less successful ones, from 0 to the limit. */
    private int inVain;

    private int restLeft;

    /** @param spinNs 0 to sleep at once */
    AdaptivePoll(long spinNs, LongSupplier clockNs) {
        this.spinNs = spinNs;
        this.clockNs = clockNs;
    }

    /** Number of ready descriptors, 0 to be called again at once, or SELECT to sleep until one is ready. */
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
