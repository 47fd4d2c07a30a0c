// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;

/**
 * Remembers the largest buffer and how many bytes are not released. Where direct buffers are asked for it gives heap buffers: the same to who
 * reads and writes them, without a call to the operating system's allocator for each of the thousands of pieces of one stream.
 */
final class MeteredAllocator extends io.netty.buffer.AbstractByteBufAllocator {
    private final UnpooledByteBufAllocator buffers = new UnpooledByteBufAllocator(true, true);
    long largestBytes;

    MeteredAllocator() {
        super(true);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        largestBytes = Math.max(largestBytes, initialCapacity);
        return buffers.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        largestBytes = Math.max(largestBytes, initialCapacity);
        return buffers.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return false;
    }

    void requireAllReleased() {
        long left = buffers.metric().usedDirectMemory() + buffers.metric().usedHeapMemory();
        if (left != 0) {
            throw new AssertionError(left + " bytes were not released");
        }
    }
}
