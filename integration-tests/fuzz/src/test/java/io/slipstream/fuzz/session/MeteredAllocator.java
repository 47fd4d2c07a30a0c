// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;

/**
 * Records the largest buffer and the unreleased bytes. It returns heap buffers for direct ones, which behave the same
 * without a call to the operating system's allocator for each of a stream's thousands of pieces.
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
