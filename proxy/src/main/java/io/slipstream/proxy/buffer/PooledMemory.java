// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.buffer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.ByteBuffer;

/**
 * The pool of all buffers on the data path. In contrast to Netty's default pool it also reuses slice objects, so that
 * cutting a frame out of a read buffer allocates nothing.
 */
public final class PooledMemory {
    public static final ByteBufAllocator ALLOCATOR = PooledByteBufAllocator.DEFAULT;

    private PooledMemory() {}

    /** The readable bytes; see {@link #view(ByteBuf, int, int)}. */
    public static ByteBuffer view(ByteBuf buffer) {
        return view(buffer, buffer.readerIndex(), buffer.readableBytes());
    }

    /** The readable bytes behind a frame's 4-byte size; see {@link #view(ByteBuf, int, int)}. */
    public static ByteBuffer frame(ByteBuf wire) {
        return view(wire, wire.readerIndex() + Integer.BYTES, wire.readableBytes() - Integer.BYTES);
    }

    /**
     * A part of the buffer between position and limit, big-endian. Allocates nothing if the buffer is of
     * {@link #ALLOCATOR}. The result is then valid only until the next call for the same memory, including its slices.
     * Only on the thread that owns the memory.
     */
    public static ByteBuffer view(ByteBuf buffer, int index, int lengthBytes) {
        if (!buffer.hasMemoryAddress()) {
            return buffer.nioBuffer(index, lengthBytes);
        }
        ByteBuf root = buffer;
        for (ByteBuf within = root.unwrap(); within != null; within = root.unwrap()) {
            root = within;
        }
        int offset = (int) (buffer.memoryAddress() - root.memoryAddress());
        return root.internalNioBuffer(offset + index, lengthBytes);
    }
}
