// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.ring.RingFrame;
import io.slipstream.protocol.ring.RingSpace;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.PostStatus;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.WorkRequest;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The writing side of a link's reply ring. Replies are staged in local memory with the offsets of the peer's ring.
 * Space that is free in the ring is free in the staging memory, so staging needs no account of its own. Owner thread
 * only.
 *
 * <p>Send slots: one of {@link #signalEvery} work requests asks for a completion. Its id is the number of finished work
 * requests.
 */
public final class ReplyRingWriter {
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final QueuePair queuePair;
    private final MemoryRegion staging;
    private final ByteBuffer memory;
    /** A view of {@link #memory}, whose position and limit move with each reply. */
    private final ByteBuffer payloads;

    private final ByteBuffer controlWord;
    private final RemoteMemory remote;
    final RingSpace space;
    private final WorkRequest request = new WorkRequest();
    private final int sendDepth;
    private final int signalEvery;
    private final int partBytes;
    /** Number of posted work requests. */
    long posted;

    private long completed;

    public ReplyRingWriter(
            QueuePair queuePair, int sendDepth, MemoryRegion staging, MemoryRegion controlWord, RemoteMemory remote) {
        this.queuePair = queuePair;
        this.sendDepth = sendDepth;
        this.signalEvery = Math.max(1, sendDepth / 4);
        this.staging = staging;
        this.memory = staging.buffer();
        this.payloads = memory.duplicate();
        this.controlWord = controlWord.buffer();
        this.remote = remote;
        this.space = new RingSpace((int) remote.lengthBytes());
        this.partBytes = RingFrame.partBytes(space.ringBytes);
    }

    /**
     * Posts the reply, or its next part, if there is ring space and a send slot. Reads the peer's control word only if
     * the known space is not enough.
     */
    public boolean tryPost(RingReply reply, long released) {
        int contentBytes = nextBytes(reply);
        boolean hasMore = contentBytes < reply.leftBytes;
        int sizeBytes = hasMore && reply.leftBytes == reply.sizeBytes ? Integer.BYTES : 0;
        int payloadBytes = sizeBytes + contentBytes;
        long start = tryClaim(payloadBytes);
        if (start < 0) {
            return false;
        }
        RingFrameIn frame = reply.frame;
        int offset = offsetOf(start);
        int flags = hasMore ? RingFrame.FLAG_MORE : reply.lastFlags();
        RingFrame.encodeHeader(memory, offset, flags, frame.sequence, frame.sessionId, payloadBytes, released);
        if (payloadBytes > 0) {
            int payload = offset + RingFrame.HEADER_BYTES;
            payloads.limit(payload + payloadBytes).position(payload);
            if (sizeBytes > 0) {
                payloads.putInt(reply.sizeBytes);
            }
            reply.writeTo(payloads);
        }
        reply.leftBytes -= contentBytes;
        postFrame(start, payloadBytes);
        return true;
    }

    /** Any thread: returns how many bytes of the answer the next frame carries. */
    int nextBytes(RingReply reply) {
        int mostBytes = reply.isInFiles ? Math.min(partBytes, RingFrame.FILE_PART_BYTES) : partBytes;
        return Math.min(reply.leftBytes, mostBytes);
    }

    /** Posts the start or the end of the session's throttling, if there is ring space and a send slot. */
    public boolean tryPostThrottle(int sessionId, boolean throttled, long released) {
        long start = tryClaim(0);
        if (start < 0) {
            return false;
        }
        int flags = throttled ? RingFrame.FLAG_THROTTLE_START : RingFrame.FLAG_THROTTLE_END;
        RingFrame.encodeHeader(memory, offsetOf(start), flags, 0, sessionId, 0, released);
        postFrame(start, 0);
        return true;
    }

    /** Claims space for a frame. Returns its start position, or a negative number if it cannot be posted now. */
    private long tryClaim(int payloadBytes) {
        if (!hasSendSlot()) {
            return -1;
        }
        int frameBytes = RingFrame.frameBytes(payloadBytes);
        if (space.mayRestart) {
            readControlWord();
        }
        long start = space.tryClaim(frameBytes);
        if (start < 0) {
            readControlWord();
            start = space.tryClaim(frameBytes);
        }
        return start;
    }

    private int offsetOf(long start) {
        return (int) (start & (space.ringBytes - 1));
    }

    private void postFrame(long start, int payloadBytes) {
        int offset = offsetOf(start);
        request.clearSegments()
                .addSegment(staging.lkey(), staging.address() + offset, RingFrame.HEADER_BYTES + payloadBytes);
        post(remote.address() + offset, RingFrame.immOf(start));
    }

    boolean hasSendSlot() {
        return posted - completed < sendDepth;
    }

    /** Rings the doorbell of an armed slot. The caller checks for a send slot first. */
    void postDoorbell(int slot) {
        request.clearSegments();
        post(remote.address(), RingFrame.IMM_SLOT_DOORBELL | slot);
    }

    private void post(long remoteAddress, int imm) {
        posted++;
        request.wrId = posted;
        request.opcode = Opcode.WRITE_WITH_IMM;
        request.signaled = posted % signalEvery == 0;
        request.remoteAddress = remoteAddress;
        request.rkey = remote.rkey();
        request.imm = imm;
        long status = queuePair.post(request);
        if (status < 0) {
            throw new IllegalFrameException("posting failed: " + PostStatus.name(status));
        }
    }

    /** Notes the completion of a send and of all earlier ones. */
    public void onSendCompleted(long wrId) {
        completed = Math.max(completed, wrId);
    }

    private void readControlWord() {
        long consumed = (long) LONG.getAcquire(controlWord, 0);
        if (!space.release(consumed)) {
            throw new IllegalFrameException("control word " + consumed + " lies beyond " + space.head());
        }
    }
}
