// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.slipstream.rdma.LocalPeers;
import io.slipstream.rdma.provider.OwnerActivity;
import java.io.IOException;
import org.agrona.UnsafeApi;

/**
 * The consumer's side of an inbox: memory of this process that one peer may write. Values read from it are not trusted;
 * the owner's own counts are fields of this object. Methods without a note belong to the owner thread, inside {@link
 * OwnerActivity}.
 */
final class OwnInbox {
    final SharedMemory memory;
    private final long base;
    final int ringRecords;
    private final long ring;
    private long postedReceives;
    long consumedRecords;
    /** True at first: messages may arrive before the completion queue is armed for the first time. */
    private boolean waitingRaised = true;

    OwnInbox(int receiveDepth, LocalPeers peers) throws IOException {
        ringRecords = InboxLayout.ringRecords(receiveDepth);
        memory = SharedMemory.create(InboxLayout.sizeBytes(ringRecords), peers, false);
        base = memory.address;
        ring = base + InboxLayout.ringOffset(ringRecords);
        UnsafeApi.putIntVolatile(null, base + InboxLayout.WAITING, 1);
        UnsafeApi.putLongVolatile(null, base, InboxLayout.MAGIC);
    }

    /** Publishes one more receive. Returns true if the peer holds requests and must be woken. */
    boolean postReceive() {
        UnsafeApi.putLongRelease(null, base + InboxLayout.POSTED_RECEIVES, ++postedReceives);
        // Orders the credit before the read of the flag; the peer orders its flag before its second read of the credit.
        UnsafeApi.fullFence();
        long flag = base + InboxLayout.STARVED;
        return UnsafeApi.getInt(null, flag) != 0 && UnsafeApi.compareAndSetInt(null, flag, 1, 0);
    }

    /** Address of the next record if the peer has published it, else 0. */
    long nextRecord() {
        long record = ring + InboxLayout.RECORD_BYTES * (consumedRecords & (ringRecords - 1));
        long sequence = UnsafeApi.getLongAcquire(null, record + InboxLayout.SEQUENCE);
        return sequence == consumedRecords + 1 ? record : 0;
    }

    /** Asks the peer for an event. A full fence must follow before the last look at the ring. */
    void raiseWaiting() {
        waitingRaised = true;
        UnsafeApi.putIntOpaque(null, base + InboxLayout.WAITING, 1);
    }

    /** Returns true if the flag was raised. */
    boolean lowerWaiting() {
        if (!waitingRaised) {
            return false;
        }
        waitingRaised = false;
        UnsafeApi.putIntOpaque(null, base + InboxLayout.WAITING, 0);
        return true;
    }

    /** Any thread, while the inbox is mapped. */
    void setRevoked(int exportSlot, boolean revoked) {
        UnsafeApi.putByteVolatile(null, base + InboxLayout.REVOKED + exportSlot, (byte) (revoked ? 1 : 0));
    }

    /** Any thread, while the inbox is mapped. Ordered after {@link #setRevoked}. */
    long peerOperations() {
        UnsafeApi.fullFence();
        return UnsafeApi.getLongAcquire(null, base + InboxLayout.OPERATIONS);
    }
}
