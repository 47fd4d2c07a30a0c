// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.PostStatus;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.WorkRequest;
import io.slipstream.rdma.provider.OwnerActivity;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.agrona.UnsafeApi;

/**
 * Requests of one queue pair. The posting thread itself carries them out. A request waits if the peer has no receive
 * posted, and all later requests wait behind it. A later post or poll retries them until the
 * RNR (receiver not ready) bound passes. Owner thread only.
 */
final class ShmSendQueue {
    static final long RECEIVER_NOT_READY_BOUND_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int READ_BIT = RemoteRegion.bit(Access.REMOTE_READ);
    private static final int WRITE_BIT = RemoteRegion.bit(Access.REMOTE_WRITE);

    private final ShmQueuePair queuePair;
    private final ShmCompletionQueue completionQueue;
    private final OwnerActivity activity;
    private final ShmProtectionDomain domain;
    private final KeyTable<RemoteRegion> remoteRegions;
    private final PeerInbox peer;
    private final AddressBuffer fileTarget = new AddressBuffer();

    private final int depth;
    private final WorkRequest[] held;
    private int heldHead;
    private int heldCount;
    private long heldSinceNs;
    /** Held requests plus completions that no poll has delivered yet. */
    private int outstanding;
    /** Completions that are still in the completion queue. Flushed ones must come after them. */
    int undeliveredCompletions;

    private boolean firstFlushed;

    ShmSendQueue(ShmQueuePair queuePair, KeyTable<RemoteRegion> remoteRegions, PeerInbox peer, int depth) {
        this.queuePair = queuePair;
        this.completionQueue = queuePair.completionQueue;
        this.activity = completionQueue.activity;
        this.domain = queuePair.domain;
        this.remoteRegions = remoteRegions;
        this.peer = peer;
        this.depth = depth;
        this.held = new WorkRequest[depth];
        for (int i = 0; i < depth; i++) {
            held[i] = new WorkRequest();
        }
    }

    long post(WorkRequest first) {
        if (!queuePair.isConnected()) {
            return PostStatus.NOT_CONNECTED;
        }
        int count = first.wellFormedCount(Integer.MAX_VALUE);
        if (count < 0) {
            return PostStatus.INVALID_REQUEST;
        } else if (outstanding + count > depth) {
            return PostStatus.QUEUE_FULL;
        }
        for (WorkRequest each = first; each != null; each = each.next) {
            carryOutOrHold(each);
        }
        return PostStatus.POSTED;
    }

    private void carryOutOrHold(WorkRequest request) {
        int length = (int) request.wellFormedLength(Integer.MAX_VALUE);
        CompletionStatus status = null;
        if (heldCount == 0) {
            activity.enter();
            try {
                status = carryOut(request, length);
            } finally {
                activity.leave();
            }
        }
        if (status == null) {
            hold(request);
        } else if (request.signaled || status != CompletionStatus.SUCCESS) {
            outstanding++;
            complete(request, length, status);
        } else {
            completionQueue.counters.succeeded(request.opcode, length);
        }
    }

    private void hold(WorkRequest request) {
        if (heldCount == 0) {
            heldSinceNs = System.nanoTime();
        }
        WorkRequest copy = held[(heldHead + heldCount) % depth];
        copy.wrId = request.wrId;
        copy.opcode = request.opcode;
        copy.signaled = request.signaled;
        copy.remoteAddress = request.remoteAddress;
        copy.rkey = request.rkey;
        copy.imm = request.imm;
        copy.clearSegments();
        for (int i = 0; i < request.segmentCount; i++) {
            copy.addSegment(request.lkeys[i], request.localAddresses[i], request.lengths[i]);
        }
        heldCount++;
        outstanding++;
    }

    boolean holdsRequests() {
        return heldCount > 0;
    }

    long nsUntilNotReadyBound() {
        return Math.max(0, heldSinceNs + RECEIVER_NOT_READY_BOUND_NS - System.nanoTime());
    }

    /** Carries out held requests while the peer is ready. The caller is inside the activity. */
    void retryHeld() {
        long nowNs = System.nanoTime();
        while (heldCount > 0 && queuePair.isConnected()) {
            WorkRequest request = held[heldHead];
            int length = (int) request.wellFormedLength(Integer.MAX_VALUE);
            CompletionStatus status = carryOut(request, length);
            if (status == null) {
                if (nowNs - heldSinceNs < RECEIVER_NOT_READY_BOUND_NS) {
                    return;
                }
                status = CompletionStatus.RNR_RETRY_EXC_ERR;
            }
            heldHead = (heldHead + 1) % depth;
            heldCount--;
            heldSinceNs = nowNs;
            if (request.signaled || status != CompletionStatus.SUCCESS) {
                complete(request, length, status);
            } else {
                outstanding--;
                completionQueue.counters.succeeded(request.opcode, length);
            }
        }
    }

    private void complete(WorkRequest request, int lengthBytes, CompletionStatus status) {
        int byteLen = 0;
        if (status == CompletionStatus.SUCCESS) {
            completionQueue.counters.succeeded(request.opcode, lengthBytes);
            byteLen = request.opcode == Opcode.READ ? lengthBytes : 0;
        } else {
            queuePair.disconnect(request.opcode + " failed with " + status);
        }
        undeliveredCompletions++;
        completionQueue.pushLocal(queuePair, request.wrId, request.opcode, status, byteLen);
    }

    void completionDelivered() {
        outstanding--;
        undeliveredCompletions--;
    }

    /**
     * Carries the operation out between the marks that let the peer revoke. The caller is inside the activity, so that
     * the peer's inbox stays mapped even if the connection ends meanwhile. Returns null if the request must wait.
     */
    private CompletionStatus carryOut(WorkRequest request, int lengthBytes) {
        if (!queuePair.isConnected()) {
            return null;
        }
        peer.enter();
        try {
            return execute(request, lengthBytes);
        } catch (InternalError fault) {
            // A page is missing: the peer freed it, and the host has no memory left. The JVM reports the signal as an
            // error.
            return CompletionStatus.GENERAL_ERR;
        } finally {
            peer.leave();
        }
    }

    private CompletionStatus execute(WorkRequest request, int lengthBytes) {
        CompletionStatus local = checkLocalSegments(request);
        if (local != CompletionStatus.SUCCESS) {
            return local;
        }
        return switch (request.opcode) {
            case WRITE -> lengthBytes == 0 ? CompletionStatus.SUCCESS : write(request, lengthBytes);
            case WRITE_WITH_IMM -> writeWithImm(request, lengthBytes);
            default -> lengthBytes == 0 ? CompletionStatus.SUCCESS : read(request, lengthBytes);
        };
    }

    private CompletionStatus checkLocalSegments(WorkRequest request) {
        for (int i = 0; i < request.segmentCount; i++) {
            if (!domain.coversLocally(request.lkeys[i], request.localAddresses[i], request.lengths[i])) {
                return CompletionStatus.LOC_PROT_ERR;
            }
        }
        return CompletionStatus.SUCCESS;
    }

    /** The region if it permits that use and is not revoked, else null. */
    private RemoteRegion permitted(WorkRequest request, int accessBit, int lengthBytes) {
        RemoteRegion region = remoteRegions.get(request.rkey);
        return region != null
                        && region.permits(accessBit, request.remoteAddress, lengthBytes)
                        && !peer.isRevoked(region.exportSlot)
                ? region
                : null;
    }

    private CompletionStatus write(WorkRequest request, int lengthBytes) {
        RemoteRegion region = permitted(request, WRITE_BIT, lengthBytes);
        if (region == null) {
            return CompletionStatus.REM_ACCESS_ERR;
        }
        long target = region.localAddress(request.remoteAddress);
        for (int i = 0; i < request.segmentCount; i++) {
            UnsafeApi.copyMemory(request.localAddresses[i], target, request.lengths[i]);
            target += request.lengths[i];
        }
        return CompletionStatus.SUCCESS;
    }

    private CompletionStatus writeWithImm(WorkRequest request, int lengthBytes) {
        if (!peer.isReady()) {
            return null;
        }
        if (lengthBytes > 0) {
            CompletionStatus status = write(request, lengthBytes);
            if (status != CompletionStatus.SUCCESS) {
                return status;
            }
        }
        if (peer.push(request.imm, lengthBytes)) {
            completionQueue.counters.wokePeer();
        }
        return CompletionStatus.SUCCESS;
    }

    private CompletionStatus read(WorkRequest request, int lengthBytes) {
        RemoteRegion region = permitted(request, READ_BIT, lengthBytes);
        if (region == null) {
            return CompletionStatus.REM_ACCESS_ERR;
        }
        return region.isFile() ? readFile(request, region) : readMemory(request, region);
    }

    private static CompletionStatus readMemory(WorkRequest request, RemoteRegion region) {
        long source = region.localAddress(request.remoteAddress);
        for (int i = 0; i < request.segmentCount; i++) {
            UnsafeApi.copyMemory(source, request.localAddresses[i], request.lengths[i]);
            source += request.lengths[i];
        }
        return CompletionStatus.SUCCESS;
    }

    private CompletionStatus readFile(WorkRequest request, RemoteRegion region) {
        long source = request.remoteAddress;
        try {
            for (int i = 0; i < request.segmentCount; i++) {
                if (!region.readFully(source, fileTarget.at(request.localAddresses[i], request.lengths[i]))) {
                    return CompletionStatus.REM_ACCESS_ERR;
                }
                source += request.lengths[i];
            }
            return CompletionStatus.SUCCESS;
        } catch (IOException e) {
            return CompletionStatus.GENERAL_ERR;
        }
    }

    void wakePeer() {
        peer.wake();
        completionQueue.counters.wokePeer();
    }

    /** Fills in the next held request as failed. Returns false if none is left. */
    boolean flushNext(WorkCompletion completion) {
        if (heldCount == 0) {
            return false;
        }
        WorkRequest request = held[heldHead];
        heldHead = (heldHead + 1) % depth;
        heldCount--;
        outstanding--;
        boolean first = !firstFlushed && queuePair.wasEndedByPeer();
        firstFlushed = true;
        CompletionStatus status = first ? CompletionStatus.RETRY_EXC_ERR : CompletionStatus.WR_FLUSH_ERR;
        completion.set(request.wrId, request.opcode, status, 0, 0, queuePair.number());
        completionQueue.counters.failed(status);
        return true;
    }
}
