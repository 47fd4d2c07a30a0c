// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.memory;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.nio.ByteBuffer;

/**
 * One block of {@link RegisteredReadMemory}; made on the block's first use and used again ever after. A READ lands in
 * it, a client's socket is written from it, and the last release, on whichever thread, gives the block back.
 */
final class RegisteredBuffer extends UnpooledDirectByteBuf {
    private final RegisteredReadMemory owner;
    final int node;
    private final long address;
    private final ByteBuffer bytes;

    /** In use from the start, as if {@link #renew} had been called. */
    RegisteredBuffer(RegisteredReadMemory owner, int node, long address, ByteBuffer bytes) {
        super(ByteBufAllocator.DEFAULT, bytes, bytes.capacity());
        this.owner = owner;
        this.node = node;
        this.address = address;
        this.bytes = bytes;
        setIndex(0, 0);
    }

    /** Readies the buffer for its next use. */
    RegisteredBuffer renew() {
        resetRefCnt();
        setIndex(0, 0);
        resetReaderIndex();
        resetWriterIndex();
        markReaderIndex();
        markWriterIndex();
        return this;
    }

    ByteBuffer bytes() {
        return bytes;
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

    /** The block is what it is. */
    @Override
    public RegisteredBuffer capacity(int newCapacity) {
        throw new UnsupportedOperationException("capacity of a registered buffer is fixed");
    }

    @Override
    protected void deallocate() {
        owner.giveBack(this);
    }
}
