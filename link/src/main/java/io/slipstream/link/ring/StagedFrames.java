// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.ring;

import io.netty.buffer.ByteBuf;
import io.slipstream.link.work.LinkPort;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.rdma.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Frames in registered memory, for devices that send from nothing else: a mirror of the plugin's request ring, in which
 * the frame at ring position p is put together at p modulo the ring's size, with one copy of the client's bytes, and
 * sent in one piece.
 *
 * <p>The mirror needs no account of its own. Its bytes at p are written again only when the ring's bytes at p may be,
 * and that is after the plugin gave them back in a reply, so after the whole frame had arrived. Should the device still
 * be waiting for the acknowledgement of that frame then, and send it once more, the bytes are dropped at the other end:
 * a reliable connection carries each packet out once, and answers a repeated one with an acknowledgement only.
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

    @Override
    public void close() {}
}
