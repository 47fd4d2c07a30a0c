// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.memory;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/**
 * Buffers that READs may land in, all under one local key. Confined to its event loop, but for releasing buffers, which
 * any thread may.
 */
public interface ReadMemory {
    /** The lkey of all buffers taken here. */
    int localKey();

    /**
     * A buffer of at least that capacity with a memory address, reader and writer index 0; null if none is left.
     * Released by the caller.
     */
    ByteBuf take(int sizeBytes);

    /** All of a buffer that was taken here, for parsing; valid until it is released. */
    ByteBuffer bytesOf(ByteBuf taken);

    /**
     * Most bytes of records that one answer should take, so that others find something left; a batch that is longer may
     * still be tried.
     */
    int mostBytes();

    /** Whether a buffer of that size can be taken for what nobody has asked for yet. */
    boolean hasSpare(int sizeBytes);

    /** Whether a buffer should go back as soon as it is not needed, rather than be kept for the next request. */
    boolean isScarce();

    /** Nothing is taken from here any more, because a device may still write into buffers that were released. */
    default void retire() {}
}
