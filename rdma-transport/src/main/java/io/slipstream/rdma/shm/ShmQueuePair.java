// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.QueuePairConfig;
import io.slipstream.rdma.QueuePairState;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.WorkRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * One end of a connection. It joins the owner thread's side ({@link ShmSendQueue}, {@link ShmReceiveQueue}) and the
 * connection thread's side ({@link QueuePairControl}).
 */
final class ShmQueuePair extends QueuePair {
    final ShmCompletionQueue completionQueue;
    final ShmProtectionDomain domain;
    final OwnInbox inbox;
    final ShmSendQueue sendQueue;
    private final ShmReceiveQueue receiveQueue;
    final QueuePairControl control;

    /** Owner thread: no more records are taken from the inbox. */
    boolean deliveryStopped;

    ShmQueuePair(
            int number, QueuePairConfig config, OwnInbox inbox, PeerInbox peerInbox, ShmLink link, ShmDevice device) {
        super(config, number);
        this.completionQueue = (ShmCompletionQueue) config.completionQueue();
        this.domain = (ShmProtectionDomain) config.protectionDomain();
        this.inbox = inbox;
        KeyTable<RemoteRegion> remoteRegions = new KeyTable<>();
        this.sendQueue = new ShmSendQueue(this, remoteRegions, peerInbox, config.sendDepth());
        this.receiveQueue = new ShmReceiveQueue(this, inbox, sendQueue, config.receiveDepth());
        this.control = new QueuePairControl(this, device, link, peerInbox, remoteRegions);
    }

    @Override
    public long post(WorkRequest request) {
        assert completionQueue.isOwnedByCaller() : completionQueue.notOwned();
        return sendQueue.post(request);
    }

    @Override
    public long postReceive(long wrId) {
        assert completionQueue.isOwnedByCaller() : completionQueue.notOwned();
        return receiveQueue.post(wrId);
    }

    /**
     * Owner thread, inside the activity. Fills {@code completions} from {@code from} up to {@code limit} and returns
     * the new fill.
     */
    int poll(WorkCompletion[] completions, int from, int limit) {
        if (sendQueue.holdsRequests()) {
            sendQueue.retryHeld();
        }
        int filled = from;
        // Read before the inbox, so that messages published before the peer's end are delivered before anything is
        // flushed.
        QueuePairState now = state();
        if (!deliveryStopped && now != QueuePairState.CLOSED) {
            filled = deliver(completions, from, limit);
        }
        if (now == QueuePairState.ERROR && filled < limit && sendQueue.undeliveredCompletions == 0) {
            filled = flush(completions, filled, limit);
        }
        return filled;
    }

    private int deliver(WorkCompletion[] completions, int from, int limit) {
        try {
            return receiveQueue.deliver(completions, from, limit);
        } catch (InternalError fault) {
            distrustPeer("a page of shared memory is missing");
            return from;
        }
    }

    private int flush(WorkCompletion[] completions, int from, int limit) {
        int filled = from;
        while (filled < limit && sendQueue.flushNext(completions[filled])) {
            filled++;
        }
        while (filled < limit && receiveQueue.flushNext(completions[filled])) {
            filled++;
        }
        return filled;
    }

    /** Owner thread. Time until held requests fail, or -1 if there are none. */
    long nsUntilNotReadyBound() {
        return isConnected() && sendQueue.holdsRequests() ? sendQueue.nsUntilNotReadyBound() : -1;
    }

    void distrustPeer(String reason) {
        deliveryStopped = true;
        end(reason, false);
    }

    @Override
    protected void onEnd(String reason) {
        control.ended(reason);
    }

    @Override
    protected void onClose() {
        control.closed();
    }

    @Override
    public CompletionStage<Void> export(MemoryRegion region) {
        if (!(region instanceof ShmMemoryRegion shmRegion) || shmRegion.domain != domain) {
            throw new IllegalArgumentException("region is not of this queue pair's protection domain");
        }
        CompletableFuture<Void> exported = new CompletableFuture<>();
        control.export(shmRegion, exported);
        return exported;
    }
}
