// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.memory;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.nio.ByteBuffer;

/**
 * One block of {@link RegisteredReadMemory}; created on the block's first use, then reused. A READ fills it and a
 * client's socket is written from it. The last release, on any thread, returns the block.
 */
final class RegisteredBuffer extends UnpooledDirectByteBuf {
    private final RegisteredReadMemory owner;
    final int node;
    private final long address;
    final ByteBuffer bytes;

    /** The new buffer is in use, as after {@link #renew}. */
    RegisteredBuffer(RegisteredReadMemory owner, int node, long address, ByteBuffer bytes) {
        super(ByteBufAllocator.DEFAULT, bytes, bytes.capacity());
        this.owner = owner;
        this.node = node;
        this.address = address;
        this.bytes = bytes;
        setIndex(0, 0);
    }

    /** Prepares the buffer for its next use. */
    RegisteredBuffer renew() {
        resetRefCnt();
        setIndex(0, 0);
        markReaderIndex();
        markWriterIndex();
        return this;
    }

    @Override
    public boolean hasMemoryAddress() {
        return true;
    }

    @Override
    public long memoryAddress() {
        ensureAccessible();
        return address;
    }

    /** The capacity is fixed. */
    @Override
    public RegisteredBuffer capacity(int newCapacity) {
        throw new UnsupportedOperationException("capacity of a registered buffer is fixed");
    }

    @Override
    protected void deallocate() {
        owner.giveBack(this);
    }
}
