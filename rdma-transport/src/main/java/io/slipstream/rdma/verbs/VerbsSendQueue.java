// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.PostStatus;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.WorkRequest;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * Requests of one queue pair. Each slot holds an ibv_send_wr and its segments, built once and patched for each use. A
 * slot is free again when the completion of its request, or of a later one, was polled ({@link SendSlots}). Owner
 * thread only.
 */
final class VerbsSendQueue {
    /** The largest message that every RDMA device can carry. */
    static final long MAX_MESSAGE_BYTES = 1L << 30;

    private static final int SLOT_BYTES = VerbsLayout.SEND_BYTES + WorkRequest.MAX_SEGMENTS * VerbsLayout.SEGMENT_BYTES;

    private final VerbsQueuePair queuePair;
    private final NativeVerbs natives;
    final SendSlots slots;
    private final long[] wrIds;
    private final Opcode[] opcodes;
    private final int[] lengths;
    private final boolean[] signaled;
    private final ByteBuffer requests;
    private final long requestsAddress;
    private boolean hasFailed;

    VerbsSendQueue(VerbsQueuePair queuePair, NativeVerbs natives, int depth, long idBase) {
        this.queuePair = queuePair;
        this.natives = natives;
        this.slots = new SendSlots(depth);
        this.wrIds = new long[depth];
        this.opcodes = new Opcode[depth];
        this.lengths = new int[depth];
        this.signaled = new boolean[depth];
        this.requests = ByteBuffer.allocateDirect(depth * SLOT_BYTES);
        this.requestsAddress = BufferUtil.address(requests);
        for (int slot = 0; slot < depth; slot++) {
            long request = target(slot);
            UnsafeApi.putLong(null, request + VerbsLayout.WR_ID, WorkRequestId.of(idBase, WorkRequestId.SEND, slot));
            UnsafeApi.putLong(null, request + VerbsLayout.SEGMENTS, request + VerbsLayout.SEND_BYTES);
        }
    }

    /** The caller is inside the activity, and the queue pair is connected. */
    long post(long nativeQueuePair, WorkRequest first) {
        int count = first.wellFormedCount(MAX_MESSAGE_BYTES);
        if (count < 0) {
            return PostStatus.INVALID_REQUEST;
        } else if (!slots.haveRoom(count)) {
            return PostStatus.QUEUE_FULL;
        }
        long firstTarget = target(slots.next);
        int fence = 0;
        for (WorkRequest each = first; each != null; each = each.next) {
            prepare(each, fence);
            fence = VerbsLayout.FLAG_FENCE;
        }
        int errno = natives.postSend(nativeQueuePair, firstTarget);
        return errno == 0 ? PostStatus.POSTED : queuePair.refusedByDevice("ibv_post_send", errno);
    }

    private void prepare(WorkRequest request, int fence) {
        int slot = slots.next;
        boolean signal = slots.mustSignal(request.signaled);
        slots.posted(signal);
        long target = target(slot);
        patch(target, request, signal ? fence | VerbsLayout.FLAG_SIGNALED : fence);
        UnsafeApi.putLong(null, target + VerbsLayout.NEXT, request.next == null ? 0 : target(slots.next));
        wrIds[slot] = request.wrId;
        opcodes[slot] = request.opcode;
        lengths[slot] = (int) request.wellFormedLength(MAX_MESSAGE_BYTES);
        signaled[slot] = request.signaled;
    }

    private long target(int slot) {
        return requestsAddress + (long) slot * SLOT_BYTES;
    }

    private static void patch(long target, WorkRequest request, int flags) {
        UnsafeApi.putInt(null, target + VerbsLayout.OPCODE, nativeOpcode(request.opcode));
        UnsafeApi.putInt(null, target + VerbsLayout.SEND_FLAGS, flags);
        // In host order at both ends: all supported platforms are little-endian, so peers see the same number.
        UnsafeApi.putInt(null, target + VerbsLayout.IMM, request.imm);
        UnsafeApi.putLong(null, target + VerbsLayout.REMOTE_ADDRESS, request.remoteAddress);
        UnsafeApi.putInt(null, target + VerbsLayout.RKEY, request.rkey);
        long segment = target + VerbsLayout.SEND_BYTES;
        int count = 0;
        for (int i = 0; i < request.segmentCount; i++) {
            // Some devices treat a segment of length 0 as one of 2^31 bytes.
            if (request.lengths[i] > 0) {
                UnsafeApi.putLong(null, segment, request.localAddresses[i]);
                UnsafeApi.putInt(null, segment + VerbsLayout.SEGMENT_LENGTH, request.lengths[i]);
                UnsafeApi.putInt(null, segment + VerbsLayout.SEGMENT_LKEY, request.lkeys[i]);
                segment += VerbsLayout.SEGMENT_BYTES;
                count++;
            }
        }
        UnsafeApi.putInt(null, target + VerbsLayout.SEGMENT_COUNT, count);
    }

    private static int nativeOpcode(Opcode opcode) {
        return switch (opcode) {
            case WRITE -> VerbsLayout.WR_RDMA_WRITE;
            case WRITE_WITH_IMM -> VerbsLayout.WR_RDMA_WRITE_WITH_IMM;
            case READ -> VerbsLayout.WR_RDMA_READ;
            default -> throw new IllegalArgumentException("not a request: " + opcode);
        };
    }

    /**
     * Frees the slot and all older ones, and fills in its completion. Returns false if the caller did not request one.
     */
    boolean complete(int slot, long source, WorkCompletion completion) {
        while (slots.oldest != slot) {
            // Unsignaled, and older than a completed request: it succeeded.
            succeeded(slots.oldest);
            slots.retireOldest();
        }
        int status = UnsafeApi.getInt(null, source + VerbsLayout.COMPLETION_STATUS);
        completion.wrId = wrIds[slot];
        if (status != VerbsLayout.WC_SUCCESS) {
            queuePair.fillFailure(completion, opcodes[slot], failureOf(slot, status), status, source);
            slots.retireOldest();
            return true;
        }
        succeeded(slot);
        slots.retireOldest();
        if (!signaled[slot]) {
            return false;
        }
        int byteLen = opcodes[slot] == Opcode.READ ? lengths[slot] : 0;
        completion.set(wrIds[slot], opcodes[slot], CompletionStatus.SUCCESS, byteLen, 0, queuePair.number());
        return true;
    }

    private void succeeded(int slot) {
        queuePair.completionQueue.counters.succeeded(opcodes[slot], lengths[slot]);
    }

    /**
     * Soft-RoCE does not report unusable local memory as such: it reports a local operation error (6.1) or flushes the
     * request (6.12). So the local segments of the first failed request of a queue pair are checked here.
     */
    private CompletionStatus failureOf(int slot, int status) {
        boolean first = !hasFailed;
        hasFailed = true;
        if (!first || (status != VerbsLayout.WC_LOC_QP_OP_ERR && status != VerbsLayout.WC_WR_FLUSH_ERR)) {
            return VerbsLayout.statusOf(status);
        }
        long request = target(slot);
        int count = UnsafeApi.getInt(null, request + VerbsLayout.SEGMENT_COUNT);
        for (int i = 0; i < count; i++) {
            long segment = request + VerbsLayout.SEND_BYTES + (long) i * VerbsLayout.SEGMENT_BYTES;
            if (!queuePair.domain.coversLocally(
                    UnsafeApi.getInt(null, segment + VerbsLayout.SEGMENT_LKEY),
                    UnsafeApi.getLong(null, segment),
                    UnsafeApi.getInt(null, segment + VerbsLayout.SEGMENT_LENGTH))) {
                return CompletionStatus.LOC_PROT_ERR;
            }
        }
        return VerbsLayout.statusOf(status);
    }

    /** After the ibv_qp is destroyed and the owner thread has left. */
    void free() {
        BufferUtil.free(requests);
    }
}
