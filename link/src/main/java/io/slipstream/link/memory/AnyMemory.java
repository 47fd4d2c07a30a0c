// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;

/** Memory of an allocator, for providers that accept any direct memory. */
public record AnyMemory(ByteBufAllocator allocator, int localKey) implements ReadMemory {
    @Override
    public ByteBuf take(int sizeBytes) {
        return allocator.directBuffer(sizeBytes);
    }

    @Override
    public ByteBuffer bytesOf(ByteBuf taken) {
        return taken.nioBuffer(0, taken.capacity());
    }
}
