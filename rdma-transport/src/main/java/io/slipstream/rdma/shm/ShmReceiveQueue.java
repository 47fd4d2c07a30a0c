// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.PostStatus;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.provider.OwnerActivity;
import org.agrona.UnsafeApi;

/**
 * Receives of one queue pair, and the records that consume them. The peer writes the records, so each field is read
 * once and checked. A record that no correct peer writes ends the queue pair. Owner thread only.
 */
final class ShmReceiveQueue {
    private final ShmQueuePair queuePair;
    private final ShmCompletionQueue completionQueue;
    private final OwnInbox inbox;
    private final ShmSendQueue sendQueue;
    private final int depth;
    private final long[] wrIds;
    private int head;
    private int count;

    ShmReceiveQueue(ShmQueuePair queuePair, OwnInbox inbox, ShmSendQueue sendQueue, int depth) {
        this.queuePair = queuePair;
        this.completionQueue = queuePair.completionQueue;
        this.inbox = inbox;
        this.sendQueue = sendQueue;
        this.depth = depth;
        wrIds = new long[depth];
    }

    long post(long wrId) {
        if (count == depth) {
            return queuePair.isConnected() ? PostStatus.QUEUE_FULL : PostStatus.NOT_CONNECTED;
        }
        OwnerActivity activity = completionQueue.activity;
        activity.enter();
        try {
            // Checked inside the activity: from here on neither the inbox nor the event descriptor is freed.
            if (!queuePair.isConnected()) {
                return PostStatus.NOT_CONNECTED;
            }
            wrIds[(head + count) % depth] = wrId;
            count++;
            if (inbox.postReceive()) {
                sendQueue.wakePeer();
            }
            return PostStatus.POSTED;
        } finally {
            activity.leave();
        }
    }

    /** Delivers records into {@code completions} from {@code from} up to {@code to} and returns the new fill. */
    int deliver(WorkCompletion[] completions, int from, int to) {
        int filled = from;
        while (filled < to) {
            long record = inbox.nextRecord();
            if (record == 0) {
                break;
            }
            int opcode = UnsafeApi.getInt(null, record + InboxLayout.OPCODE);
            int imm = UnsafeApi.getInt(null, record + InboxLayout.IMM);
            int byteLen = UnsafeApi.getInt(null, record + InboxLayout.BYTE_LEN);
            if (count == 0 || byteLen < 0 || opcode != InboxLayout.OPCODE_WRITE_WITH_IMM) {
                queuePair.distrustPeer("the peer wrote an invalid record");
                break;
            }
            inbox.consumedRecords++;
            int number = queuePair.number();
            completions[filled++].set(
                    wrIds[head], Opcode.RECV_WITH_IMM, CompletionStatus.SUCCESS, byteLen, imm, number);
            head = (head + 1) % depth;
            count--;
            completionQueue.counters.succeeded(Opcode.RECV_WITH_IMM, byteLen);
        }
        return filled;
    }

    /** Fills in the next posted receive as flushed. Returns false if none is left. */
    boolean flushNext(WorkCompletion completion) {
        if (count == 0) {
            return false;
        }
        completion.set(wrIds[head], Opcode.RECV, CompletionStatus.WR_FLUSH_ERR, 0, 0, queuePair.number());
        completionQueue.counters.failed(CompletionStatus.WR_FLUSH_ERR);
        head = (head + 1) % depth;
        count--;
        return true;
    }
}
