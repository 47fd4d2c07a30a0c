// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.memory;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/**
 * Buffers that can be targets of READs, all with one local key. Confined to its event loop, except that any thread may
 * release buffers.
 */
public interface ReadMemory {
    /** The lkey of all buffers of this memory. */
    int localKey();

    /**
     * A buffer of at least that capacity with a memory address, reader and writer index 0; null if none is free. The
     * caller releases it.
     */
    ByteBuf take(int sizeBytes);

    /** The whole buffer for parsing; valid until it is released. */
    ByteBuffer bytesOf(ByteBuf taken);

    /**
     * Largest number of record bytes that one answer should take, so that memory is left for others. A single longer
     * batch may still be tried.
     */
    default int mostBytes() {
        return Integer.MAX_VALUE;
    }

    /** Whether a buffer of that size can be taken for read-ahead. */
    default boolean hasSpare(int sizeBytes) {
        return true;
    }

    /** Whether a buffer should be released as soon as possible instead of being kept for the next request. */
    default boolean isScarce() {
        return false;
    }

    /** Stops handing out buffers because a device may still write into released ones. */
    default void retire() {}
}
