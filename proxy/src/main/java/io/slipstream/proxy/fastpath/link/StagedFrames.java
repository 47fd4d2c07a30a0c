package io.slipstream.proxy.fastpath.link;

import io.netty.buffer.ByteBuf;
import io.slipstream.protocol.ring.LandedBatches;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.rdma.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Frames in registered memory, for devices that send from nothing else: a mirror of the plugin's request ring, in which the frame at ring position
 * p is put together at p modulo the ring's size, with one copy of the client's bytes, and sent in one piece.
 *
 * <p>The mirror needs no account of its own. Its bytes at p are written again only when the ring's bytes at p may be, and that is after the
 * plugin gave them back in a reply, so after the whole frame had arrived. Should the device still be waiting for the
 * acknowledgement of that frame then, and send it once more, the bytes are dropped at the other end: a reliable
 * connection carries each packet out once, and answers a repeated one with an acknowledgement only.
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

    /** The batches lie in the mirror behind what remains of their request, and the frame is as long as if it had them. */
    @Override
    public boolean place(LinkPort port, RingRequest request, Landings decided, long start) {
        ByteBuf frame = request.request.frame();
        int at = (int) (start & offsetMask) + RingFrame.HEADER_BYTES + decided.payloadBytes();
        for (int i = 0; i < decided.count(); i++) {
            int length = decided.batchLength(i);
            bytes.limit(at + length).position(at);
            frame.getBytes(frame.readerIndex() + decided.batchOffset(i), bytes);
            bytes.clear();
            for (int j = 0; j < LandedBatches.POISON_BYTES; j++) {
                bytes.put(at + j, (byte) 0);
            }
            PartitionLanding place = decided.place(i);
            port.beginGather().gather(mirror.lkey(), mirror.address() + at, length);
            if (!port.writeGathered(GatheredFrames.NOTHING_TO_DO, place.remoteAddress(), place.rkey())) {
                return false;
            }
            at += length;
        }
        return true;
    }

    @Override
    public int placedPayloadBytes(Landings decided) {
        return decided.payloadBytes() + decided.recordBytes();
    }

    @Override
    public void gatherPlaced(LinkPort port, RingRequest request, Landings decided, long start, int frameBytes) {
        int offset = (int) (start & offsetMask);
        int sentBytes = RingFrame.HEADER_BYTES + decided.payloadBytes();
        RingFrame.encodeHeader(
                bytes,
                offset,
                RingFrame.FLAG_LANDED,
                request.sequence,
                request.sessionId,
                placedPayloadBytes(decided),
                0);
        decided.writePayload(bytes, offset + RingFrame.HEADER_BYTES);
        port.gather(mirror.lkey(), mirror.address() + offset, sentBytes);
    }

    @Override
    public void gatherChange(LinkPort port, RingRequest request, long start, int frameBytes) {
        int offset = (int) (start & offsetMask);
        RingFrame.encodeHeader(bytes, offset, GatheredFrames.flagOf(request), request.sequence, 0, Integer.BYTES, 0);
        bytes.putInt(offset + RingFrame.HEADER_BYTES, request.place.landingId);
        port.gather(mirror.lkey(), mirror.address() + offset, RingFrame.HEADER_BYTES + Integer.BYTES);
    }

    @Override
    public void close() {}
}
