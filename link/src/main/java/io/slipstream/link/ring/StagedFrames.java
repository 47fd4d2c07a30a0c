// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.ring;

import io.netty.buffer.ByteBuf;
import io.slipstream.link.work.LinkPort;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.rdma.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Frames in registered memory, for devices that cannot send from other memory. The memory is a mirror of the plugin's
 * request ring: the frame at ring position p is assembled at p modulo the ring's size, with one copy of the client's
 * bytes, and sent in one piece.
 *
 * <p>The mirror needs no space accounting of its own. Its bytes at p are reused only when the ring's bytes at p may be
 * reused. That is after the plugin released them in a reply, hence after the whole frame had arrived. If the device
 * still waits for the acknowledgement and retransmits the frame, the receiver drops the bytes: a reliable connection
 * executes each packet once and only acknowledges a duplicate.
 */
final class StagedFrames implements FrameSource {
    private final MemoryRegion mirror;
    private final ByteBuffer bytes;
    private final long offsetMask;

    /** @param mirror of the request ring's size, a power of two; closed by its owner */
    StagedFrames(MemoryRegion mirror) {
        this.mirror = mirror;
        this.bytes = mirror.buffer().duplicate().order(ByteOrder.LITTLE_ENDIAN);
        this.offsetMask = mirror.lengthBytes() - 1;
    }

    @Override
    public void gather(LinkPort port, RingRequest request, long start, int frameBytes) {
        ByteBuf frame = request.request.frame();
        int length = frame.readableBytes();
        int offset = (int) (start & offsetMask);
        RingFrame.encodeHeader(bytes, offset, 0, request.sequence, request.sessionId, length, 0);
        int payload = offset + RingFrame.HEADER_BYTES;
        bytes.limit(payload + length).position(payload);
        frame.getBytes(frame.readerIndex(), bytes);
        bytes.clear();
        for (int i = payload + length; i < offset + frameBytes; i++) {
            bytes.put(i, (byte) 0);
        }
        port.gather(mirror.lkey(), mirror.address() + offset, frameBytes);
    }
}
