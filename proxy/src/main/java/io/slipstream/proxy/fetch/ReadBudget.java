// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

/**
 * Bounds the bytes that one event loop's fetches have in buffers between reading and answering. Confined to the event
 * loop.
 */
public final class ReadBudget {
    private final long limitBytes;
    private long usedBytes;

    public ReadBudget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /**
     * False if so much is not left; but one read alone may always exceed the budget, so that a large batch can be
     * served.
     */
    boolean tryTake(long bytes) {
        if (usedBytes > 0 && usedBytes + bytes > limitBytes) {
            return false;
        }
        usedBytes += bytes;
        return true;
    }

    /** The same for bytes that nobody has asked for yet: the first half of the budget only. */
    boolean tryTakeSpare(long bytes) {
        if (!hasSpare(bytes)) {
            return false;
        }
        usedBytes += bytes;
        return true;
    }

    /** Whether {@link #tryTakeSpare} would take so much. */
    boolean hasSpare(long bytes) {
        return usedBytes + bytes <= limitBytes / 2;
    }

    void giveBack(long bytes) {
        usedBytes -= bytes;
    }

    long usedBytes() {
        return usedBytes;
    }
}
