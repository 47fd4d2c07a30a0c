package io.slipstream.proxy.fastpath.link;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.slipstream.protocol.ring.LandedBatches;
import io.slipstream.protocol.ring.RingFrame;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Frames in three pieces: a header, the client's bytes where Netty read them, and zeros; for providers that take any memory. The client's
 * bytes are not copied; they stay retained until the write completed.
 */
final class GatheredFrames implements FrameSource {
    private static final int HEADER_SLOT_BYTES = 64;
    /** Batches were written when the frame was that tells of them. */
    static final WorkHandler NOTHING_TO_DO = (status, byteLen) -> {};

    private final int localKey;
    /** Headers of all requests, then 64 zero bytes for padding. */
    private final ByteBuf memory;

    private final ByteBuffer headers;
    private final long paddingAddress;
    /** By request: what remains of it when its batches are placed. Made when first needed, and kept. */
    private final ByteBuf[] remains;

    GatheredFrames(int localKey, int requests) {
        this.localKey = localKey;
        this.memory = Unpooled.directBuffer((requests + 1) * HEADER_SLOT_BYTES);
        memory.writeZero(memory.capacity());
        this.headers = memory.nioBuffer(0, memory.capacity()).order(ByteOrder.LITTLE_ENDIAN);
        this.remains = new ByteBuf[requests];
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

    /** The frame, or a copy of it that has an address. */
    private static ByteBuf direct(ByteBuf frame) {
        int length = frame.readableBytes();
        return frame.hasMemoryAddress()
                ? frame.retain()
                : Unpooled.directBuffer(length).writeBytes(frame, frame.readerIndex(), length);
    }

    @Override
    public boolean place(LinkPort port, RingRequest request, Landings decided, long start) {
        request.frame = direct(request.request.frame());
        long frameAddress = request.frame.memoryAddress() + request.frame.readerIndex();
        for (int i = 0; i < decided.count(); i++) {
            PartitionLanding place = decided.place(i);
            port.beginGather()
                    .gather(localKey, paddingAddress, LandedBatches.POISON_BYTES)
                    .gather(
                            localKey,
                            frameAddress + decided.batchOffset(i) + LandedBatches.POISON_BYTES,
                            decided.batchLength(i) - LandedBatches.POISON_BYTES);
            if (!port.writeGathered(NOTHING_TO_DO, place.remoteAddress(), place.rkey())) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int placedPayloadBytes(Landings decided) {
        return decided.payloadBytes();
    }

    @Override
    public void gatherPlaced(LinkPort port, RingRequest request, Landings decided, long start, int frameBytes) {
        ByteBuf target = remains(request.index, frameBytes);
        ByteBuffer bytes = target.internalNioBuffer(0, frameBytes).order(ByteOrder.LITTLE_ENDIAN);
        int at = bytes.position();
        int payloadBytes = decided.payloadBytes();
        RingFrame.encodeHeader(bytes, at, RingFrame.FLAG_LANDED, request.sequence, request.sessionId, payloadBytes, 0);
        decided.writePayload(bytes, at + RingFrame.HEADER_BYTES);
        for (int i = RingFrame.HEADER_BYTES + payloadBytes; i < frameBytes; i++) {
            bytes.put(at + i, (byte) 0);
        }
        port.gather(localKey, target.memoryAddress(), frameBytes);
    }

    @Override
    public void gatherChange(LinkPort port, RingRequest request, long start, int frameBytes) {
        int headerOffset = request.index * HEADER_SLOT_BYTES;
        RingFrame.encodeHeader(headers, headerOffset, flagOf(request), request.sequence, 0, Integer.BYTES, 0);
        headers.putInt(headerOffset + RingFrame.HEADER_BYTES, request.place.landingId);
        port.gather(localKey, memory.memoryAddress() + headerOffset, frameBytes);
    }

    static int flagOf(RingRequest request) {
        if (request.place.state == PartitionLanding.State.BEGINNING) {
            return RingFrame.FLAG_BEGIN_LANDING;
        }
        return RingFrame.FLAG_END_LANDING | (request.place.leavesHoles ? RingFrame.FLAG_HOLES : 0);
    }

    private ByteBuf remains(int index, int frameBytes) {
        ByteBuf present = remains[index];
        if (present != null && present.capacity() >= frameBytes) {
            return present;
        } else if (present != null) {
            present.release();
        }
        remains[index] = Unpooled.directBuffer(Integer.highestOneBit(frameBytes) * 2);
        return remains[index];
    }

    @Override
    public void close() {
        memory.release();
        for (ByteBuf present : remains) {
            if (present != null) {
                present.release();
            }
        }
    }
}
