// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.PostStatus;
import io.slipstream.rdma.WorkCompletion;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * Receives of one queue pair. The native requests are built once and have no segments; they are consumed in posting
 * order. Owner thread only.
 */
final class VerbsReceiveQueue {
    private final VerbsQueuePair queuePair;
    private final NativeVerbs natives;
    private final int depth;
    private final long[] wrIds;
    private final ByteBuffer requests;
    private final long requestsAddress;
    private int next;
    int outstanding;

    VerbsReceiveQueue(VerbsQueuePair queuePair, NativeVerbs natives, int depth, long idBase) {
        this.queuePair = queuePair;
        this.natives = natives;
        this.depth = depth;
        this.wrIds = new long[depth];
        this.requests = ByteBuffer.allocateDirect(depth * VerbsLayout.RECEIVE_BYTES);
        this.requestsAddress = BufferUtil.address(requests);
        for (int slot = 0; slot < depth; slot++) {
            long request = requestsAddress + (long) slot * VerbsLayout.RECEIVE_BYTES;
            UnsafeApi.putLong(null, request + VerbsLayout.WR_ID, WorkRequestId.of(idBase, WorkRequestId.RECEIVE, slot));
        }
    }

    /** The caller is inside the activity, and the queue pair is connected. */
    long post(long nativeQueuePair, long wrId) {
        if (outstanding == depth) {
            return PostStatus.QUEUE_FULL;
        }
        int slot = next;
        int errno = natives.postReceive(nativeQueuePair, requestsAddress + (long) slot * VerbsLayout.RECEIVE_BYTES);
        if (errno != 0) {
            return queuePair.refusedByDevice("ibv_post_recv", errno);
        }
        wrIds[slot] = wrId;
        next = slot + 1 < depth ? slot + 1 : 0;
        outstanding++;
        return PostStatus.POSTED;
    }

    boolean complete(int slot, long source, WorkCompletion completion) {
        completion.wrId = wrIds[slot];
        outstanding--;
        int status = UnsafeApi.getInt(null, source + VerbsLayout.COMPLETION_STATUS);
        if (status != VerbsLayout.WC_SUCCESS) {
            queuePair.fillFailure(completion, Opcode.RECV, failureOf(status), status, source);
            return true;
        }
        boolean withImm =
                UnsafeApi.getInt(null, source + VerbsLayout.COMPLETION_OPCODE) == VerbsLayout.WC_RECV_RDMA_WITH_IMM;
        Opcode opcode = withImm ? Opcode.RECV_WITH_IMM : Opcode.RECV;
        int byteLen = UnsafeApi.getInt(null, source + VerbsLayout.COMPLETION_BYTE_LEN);
        int imm = withImm ? UnsafeApi.getInt(null, source + VerbsLayout.COMPLETION_IMM) : 0;
        completion.set(wrIds[slot], opcode, CompletionStatus.SUCCESS, byteLen, imm, queuePair.number());
        queuePair.completionQueue.counters.succeeded(opcode, byteLen);
        return true;
    }

    /** Soft-RoCE reports a message that is too long as an invalid request (6.12) or a local operation error (6.1). */
    private static CompletionStatus failureOf(int status) {
        return status == VerbsLayout.WC_REM_INV_REQ_ERR || status == VerbsLayout.WC_LOC_QP_OP_ERR
                ? CompletionStatus.LOC_LEN_ERR
                : VerbsLayout.statusOf(status);
    }

    /** After the ibv_qp is destroyed and the owner thread has left. */
    void free() {
        BufferUtil.free(requests);
    }
}
