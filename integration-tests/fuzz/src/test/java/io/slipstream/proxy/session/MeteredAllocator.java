package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;

/** Allocates direct buffers and remembers the largest and how many bytes are not released. */
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
        return buffers.directBuffer(initialCapacity, maxCapacity);
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
