// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * Reads a socket into the buffers that its {@link FrameDecoder} prepares, so that the rest of a frame follows its
 * beginning.
 */
final class FrameReceive implements RecvByteBufAllocator {
    private final RecvByteBufAllocator sizes = new AdaptiveRecvByteBufAllocator();
    private final FrameDecoder decoder;

    FrameReceive(FrameDecoder decoder) {
        this.decoder = decoder;
    }

    @Override
    @SuppressWarnings("deprecation") // Netty's own allocators have no other way to make a handle.
    public Handle newHandle() {
        return new PreparedHandle((ExtendedHandle) sizes.newHandle());
    }

    private final class PreparedHandle extends DelegatingHandle implements ExtendedHandle {
        private final ExtendedHandle size;

        PreparedHandle(ExtendedHandle size) {
            super(size);
            this.size = size;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            return decoder.prepare(allocator, size.guess());
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier mayBeMore) {
            return size.continueReading(mayBeMore);
        }
    }
}
