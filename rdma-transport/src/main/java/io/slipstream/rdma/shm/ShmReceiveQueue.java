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
    private final int[] lkeys;
    private final long[] addresses;
    private final int[] lengths;
    private int head;
    private int count;

    ShmReceiveQueue(ShmQueuePair queuePair, OwnInbox inbox, ShmSendQueue sendQueue, int depth) {
        this.queuePair = queuePair;
        this.completionQueue = queuePair.completionQueue;
        this.inbox = inbox;
        this.sendQueue = sendQueue;
        this.depth = depth;
        wrIds = new long[depth];
        lkeys = new int[depth];
        addresses = new long[depth];
        lengths = new int[depth];
    }

    long post(long wrId, int lkey, long localAddress, int lengthBytes) {
        if (lengthBytes < 0) {
            return PostStatus.INVALID_REQUEST;
        }
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
            int index = (head + count) % depth;
            wrIds[index] = wrId;
            lkeys[index] = lkey;
            addresses[index] = localAddress;
            lengths[index] = lengthBytes;
            count++;
            if (inbox.postReceive(lengthBytes)) {
                sendQueue.wakePeer();
            }
            return PostStatus.POSTED;
        } finally {
            activity.leave();
        }
    }

    /**
     * Delivers received messages into {@code completions} from {@code from} up to {@code to} and returns the new fill.
     */
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
            long payloadPosition = UnsafeApi.getLong(null, record + InboxLayout.PAYLOAD_POSITION);
            if (count == 0
                    || byteLen < 0
                    || (opcode != InboxLayout.OPCODE_WRITE_WITH_IMM && opcode != InboxLayout.OPCODE_SEND)) {
                queuePair.distrustPeer("the peer wrote an invalid record");
                break;
            }
            inbox.consumedRecords++;
            WorkCompletion completion = completions[filled];
            boolean isSend = opcode == InboxLayout.OPCODE_SEND;
            CompletionStatus status = isSend ? receiveMessage(payloadPosition, byteLen) : CompletionStatus.SUCCESS;
            completion.set(
                    wrIds[head], isSend ? Opcode.RECV : Opcode.RECV_WITH_IMM, status, byteLen, imm, queuePair.number());
            head = (head + 1) % depth;
            count--;
            filled++;
            if (completion.status == CompletionStatus.SUCCESS) {
                completionQueue.counters.succeeded(completion.opcode, byteLen);
            } else {
                completionQueue.counters.failed(completion.status);
                queuePair.fail(Opcode.RECV, completion.status);
                queuePair.deliveryStopped = true;
                break;
            }
        }
        return filled;
    }

    private CompletionStatus receiveMessage(long payloadPosition, int byteLen) {
        if (byteLen > lengths[head]) {
            return CompletionStatus.LOC_LEN_ERR;
        }
        if (byteLen > InboxLayout.MAX_SEND_BYTES) {
            return CompletionStatus.GENERAL_ERR;
        }
        long source = inbox.payloadAddress(payloadPosition, byteLen);
        if (source == 0) {
            return CompletionStatus.GENERAL_ERR;
        }
        if (!queuePair.domain.coversLocally(lkeys[head], addresses[head], byteLen)) {
            return CompletionStatus.LOC_PROT_ERR;
        }
        UnsafeApi.copyMemory(source, addresses[head], byteLen);
        if (inbox.payloadConsumed(payloadPosition, byteLen)) {
            queuePair.wakePeerIfConnected();
        }
        return CompletionStatus.SUCCESS;
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
