// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.netty.channel.epoll.Native;
import io.netty.channel.unix.FileDescriptor;
import org.agrona.UnsafeApi;

/**
 * The producer's side of the peer's inbox, and the peer's event descriptor. Indices are masked, so that no value in
 * this memory can lead to an address outside it. Owner thread only, between {@link #enter} and {@link #leave}.
 */
final class PeerInbox {
    private final SharedMemory memory;
    private final FileDescriptor eventFd;
    private final long base;
    private final int ringMask;
    private final long ring;
    private long operations;
    private long sentRecords;
    private long knownPostedReceives;

    /** Takes ownership of both; {@code memory} must hold {@link InboxLayout#sizeBytes} for {@code ringRecords}. */
    PeerInbox(SharedMemory memory, int ringRecords, FileDescriptor eventFd) {
        this.memory = memory;
        this.eventFd = eventFd;
        base = memory.address;
        ringMask = ringRecords - 1;
        ring = base + InboxLayout.ringOffset(ringRecords);
    }

    /** Tells the owner of the regions that an operation begins, before the first look at {@link #isRevoked}. */
    void enter() {
        operations = (operations + 1) | 1;
        UnsafeApi.putLongOpaque(null, base + InboxLayout.OPERATIONS, operations);
        UnsafeApi.fullFence();
    }

    void leave() {
        operations = (operations | 1) + 1;
        UnsafeApi.putLongRelease(null, base + InboxLayout.OPERATIONS, operations);
    }

    boolean isRevoked(int exportSlot) {
        return UnsafeApi.getByteVolatile(null, base + InboxLayout.REVOKED + exportSlot) != 0;
    }

    /** Whether the peer has a receive posted. If not, the peer will write this side's event descriptor. */
    boolean isReady() {
        if (hasCredit()) {
            return true;
        }
        UnsafeApi.putIntOpaque(null, base + InboxLayout.STARVED, 1);
        UnsafeApi.fullFence();
        return hasCredit();
    }

    private boolean hasCredit() {
        if (sentRecords >= knownPostedReceives) {
            knownPostedReceives = UnsafeApi.getLongAcquire(null, base + InboxLayout.POSTED_RECEIVES);
        }
        return sentRecords < knownPostedReceives;
    }

    /**
     * Publishes the record of a WRITE_WITH_IMM, and with it all earlier writes of this thread. Returns true if the peer
     * was asleep and was woken.
     */
    boolean push(int imm, int byteLen) {
        long record = ring + InboxLayout.RECORD_BYTES * (sentRecords & ringMask);
        UnsafeApi.putInt(null, record + InboxLayout.OPCODE, InboxLayout.OPCODE_WRITE_WITH_IMM);
        UnsafeApi.putInt(null, record + InboxLayout.IMM, imm);
        UnsafeApi.putInt(null, record + InboxLayout.BYTE_LEN, byteLen);
        UnsafeApi.putLongRelease(null, record + InboxLayout.SEQUENCE, ++sentRecords);
        // Orders the record before the read of the flag; the owner orders its flag before its last look at the ring.
        UnsafeApi.fullFence();
        long flag = base + InboxLayout.WAITING;
        if (UnsafeApi.getInt(null, flag) != 0 && UnsafeApi.compareAndSetInt(null, flag, 1, 0)) {
            wake();
            return true;
        }
        return false;
    }

    void wake() {
        Native.eventFdWrite(eventFd.intValue(), 1);
    }

    /** Connection thread, after a grace period. */
    void free() {
        memory.unmap();
        Descriptors.close(eventFd);
    }
}
