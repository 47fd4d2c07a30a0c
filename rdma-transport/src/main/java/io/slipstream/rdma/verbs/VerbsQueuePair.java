// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.PostStatus;
import io.slipstream.rdma.QueuePair;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.WorkRequest;
import io.slipstream.rdma.provider.OwnerActivity;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.agrona.UnsafeApi;

/**
 * One end of a connection. It joins the owner thread's side ({@link VerbsSendQueue}, {@link VerbsReceiveQueue}) and the
 * connection thread's side ({@link ConnectionControl}), which alone destroys the ibv_qp, after the owner thread has
 * left it.
 */
final class VerbsQueuePair extends QueuePair {
    private static final long LONGEST_ACCEPT_NS = TimeUnit.SECONDS.toNanos(1);

    final VerbsCompletionQueue completionQueue;
    final VerbsProtectionDomain domain;
    private final OwnerActivity activity;
    private final long nativeQueuePair;
    final int generation;
    private final VerbsSendQueue sendQueue;
    private final VerbsReceiveQueue receiveQueue;
    final ConnectionControl control;

    /** Whether the device accepts send requests. At the accepting end, it does once rdma_accept has returned. */
    volatile boolean ready;

    /**
     * Connection thread. The ibv_qp exists; if this constructor fails, the ibv_qp and the reservation stay the
     * caller's.
     */
    VerbsQueuePair(VerbsDevice device, long id, long nativeQueuePair, VerbsReservation reservation, PrivateData peer)
            throws IOException {
        super(reservation.config, device.natives.queuePairNumber(nativeQueuePair));
        this.completionQueue = reservation.completionQueue;
        this.domain = reservation.domain;
        this.activity = completionQueue.activity;
        this.nativeQueuePair = nativeQueuePair;
        long idBase = completionQueue.add(this);
        this.generation = WorkRequestId.generation(idBase);
        this.sendQueue = new VerbsSendQueue(this, device.natives, config.sendDepth(), idBase);
        this.receiveQueue = new VerbsReceiveQueue(this, device.natives, config.receiveDepth(), idBase);
        this.control = new ConnectionControl(this, device, id, nativeQueuePair, reservation, idBase);
    }

    @Override
    public long post(WorkRequest request) {
        assert completionQueue.isOwnedByCaller() : completionQueue.notOwned();
        activity.enter();
        try {
            // Checked inside the activity: from here on the ibv_qp is not destroyed.
            if (!isConnected()) {
                return PostStatus.NOT_CONNECTED;
            }
            return ready || awaitReady() ? sendQueue.post(nativeQueuePair, request) : PostStatus.QUEUE_FULL;
        } finally {
            activity.leave();
        }
    }

    /** Covers the short time between the completion of accept's stage and the return of rdma_accept. */
    private boolean awaitReady() {
        long startNs = System.nanoTime();
        while (!ready && isConnected() && System.nanoTime() - startNs < LONGEST_ACCEPT_NS) {
            Thread.onSpinWait();
        }
        return ready;
    }

    @Override
    public long postReceive(long wrId) {
        assert completionQueue.isOwnedByCaller() : completionQueue.notOwned();
        activity.enter();
        try {
            return isConnected() ? receiveQueue.post(nativeQueuePair, wrId) : PostStatus.NOT_CONNECTED;
        } finally {
            activity.leave();
        }
    }

    /** Owner thread, inside the activity. Returns false if this completion is not reported. */
    boolean complete(long id, long source, WorkCompletion completion) {
        int slot = WorkRequestId.slot(id);
        return switch (WorkRequestId.kind(id)) {
            case WorkRequestId.SEND -> sendQueue.complete(slot, source, completion);
            case WorkRequestId.RECEIVE -> receiveQueue.complete(slot, source, completion);
            default -> {
                keepAliveCompleted(UnsafeApi.getInt(null, source + VerbsLayout.COMPLETION_STATUS));
                yield false;
            }
        };
    }

    private void keepAliveCompleted(int status) {
        if (status != VerbsLayout.WC_SUCCESS) {
            disconnect("the peer cannot be reached: keep-alive failed with " + VerbsLayout.statusOf(status));
        }
        control.keepAliveCompleted();
    }

    /** In a failed completion only wr_id, status, qp_num and vendor_err are valid (ibv_poll_cq(3)). */
    void fillFailure(WorkCompletion completion, Opcode opcode, CompletionStatus status, int nativeStatus, long source) {
        int vendorError = UnsafeApi.getInt(null, source + VerbsLayout.COMPLETION_VENDOR_ERROR);
        completion.set(completion.wrId, opcode, status, 0, 0, number());
        completion.vendorError =
                vendorError == 0 && status == CompletionStatus.GENERAL_ERR ? nativeStatus : vendorError;
        completionQueue.counters.failed(status);
        if (isConnected()) {
            disconnect(opcode + " failed with " + status + " (device status " + nativeStatus + ")");
        }
    }

    /** The device refused a request although the queue had room, so the queue pair is unusable. */
    long refusedByDevice(String function, int errno) {
        disconnect(function + " failed with error " + errno);
        return PostStatus.NOT_CONNECTED;
    }

    @Override
    protected void onEnd(String reason) {
        control.ended(reason);
    }

    @Override
    protected void onClose() {
        completionQueue.remove(this);
        control.closed();
    }

    /** The keys of a region are valid from the start for all queue pairs of its protection domain. */
    @Override
    public CompletionStage<Void> export(MemoryRegion region) {
        if (!(region instanceof VerbsMemoryRegion ours) || ours.domain != domain) {
            throw new IllegalArgumentException("region is not of this queue pair's protection domain");
        }
        if (!isConnected()) {
            return CompletableFuture.failedFuture(
                    new IOException("connection ended before the peer could use the region: " + errorReason()));
        }
        if (!region.isRegistered()) {
            return CompletableFuture.failedFuture(new IOException("region is no longer registered"));
        }
        return CompletableFuture.completedFuture(null);
    }

    /**
     * Connection thread, after the ibv_qp is destroyed and the owner thread has left. Returns the number of completions
     * that may be left in the completion queue.
     */
    int free() {
        sendQueue.free();
        receiveQueue.free();
        return sendQueue.slots.outstanding + receiveQueue.outstanding;
    }
}
