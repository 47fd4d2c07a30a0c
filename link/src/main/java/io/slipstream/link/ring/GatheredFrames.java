// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.ring;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.slipstream.link.work.LinkPort;
import io.slipstream.protocol.ring.RingFrame;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Frames in three pieces: a header, the client's bytes in Netty's buffer, and zeros. For providers that accept any
 * memory. The client's bytes are not copied; they stay retained until the WRITE has completed.
 */
final class GatheredFrames implements FrameSource {
    private static final int HEADER_SLOT_BYTES = 64;

    private final int localKey;
    /** Headers of all requests, then 64 zero bytes for padding. */
    private final ByteBuf memory;

    private final ByteBuffer headers;
    private final long paddingAddress;

    GatheredFrames(int localKey, int requests) {
        this.localKey = localKey;
        this.memory = Unpooled.directBuffer((requests + 1) * HEADER_SLOT_BYTES);
        memory.writeZero(memory.capacity());
        this.headers = memory.nioBuffer(0, memory.capacity()).order(ByteOrder.LITTLE_ENDIAN);
        this.paddingAddress = memory.memoryAddress() + (long) requests * HEADER_SLOT_BYTES;
    }

    @Override
    public void gather(LinkPort port, RingRequest request, long start, int frameBytes) {
        ByteBuf frame = request.request.frame();
        int length = frame.readableBytes();
        int headerOffset = request.index * HEADER_SLOT_BYTES;
        RingFrame.encodeHeader(headers, headerOffset, 0, request.sequence, request.sessionId, length, 0);
        request.frame = direct(frame);
        port.gather(localKey, memory.memoryAddress() + headerOffset, RingFrame.HEADER_BYTES)
                .gather(localKey, request.frame.memoryAddress() + request.frame.readerIndex(), length);
        int padding = frameBytes - RingFrame.HEADER_BYTES - length;
        if (padding > 0) {
            port.gather(localKey, paddingAddress, padding);
        }
    }

    /** The frame, or a direct copy of it if it has no memory address. */
    private static ByteBuf direct(ByteBuf frame) {
        int length = frame.readableBytes();
        return frame.hasMemoryAddress()
                ? frame.retain()
                : ByteBufAllocator.DEFAULT.directBuffer(length).writeBytes(frame, frame.readerIndex(), length);
    }

    @Override
    public void close() {
        memory.release();
    }
}
