// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.netty.buffer.ByteBuf;
import io.slipstream.link.memory.ReadMemory;

/** Limits the bytes in buffers of one event loop's fetches between READ and answer. Confined to the event loop. */
public final class ReadBudget {
    private final long limitBytes;
    private long usedBytes;

    public ReadBudget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /**
     * False if that many bytes are not left. A single read may always exceed the budget, so that a large batch can be
     * served.
     */
    boolean tryTake(long bytes) {
        if (usedBytes > 0 && usedBytes + bytes > limitBytes) {
            return false;
        }
        usedBytes += bytes;
        return true;
    }

    /** The same for read-ahead, which may use only the first half of the budget. */
    boolean tryTakeSpare(long bytes) {
        if (!hasSpare(bytes)) {
            return false;
        }
        usedBytes += bytes;
        return true;
    }

    /** The memory for bytes that were taken; null if none is free. Without it the bytes are given back. */
    ByteBuf fill(ReadMemory from, int bytes) {
        ByteBuf memory = null;
        try {
            memory = from.take(bytes);
            return memory;
        } finally {
            if (memory == null) {
                giveBack(bytes);
            }
        }
    }

    /** Whether {@link #tryTakeSpare} would succeed. */
    boolean hasSpare(long bytes) {
        return usedBytes + bytes <= limitBytes / 2;
    }

    void giveBack(long bytes) {
        usedBytes -= bytes;
    }
}
