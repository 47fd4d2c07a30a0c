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
    private final long payloadRing;
    private long operations;
    private long sentRecords;
    private long knownPostedReceives;
    private long payloadProduced;

    /** Takes ownership of both; {@code memory} must hold {@link InboxLayout#sizeBytes} for {@code ringRecords}. */
    PeerInbox(SharedMemory memory, int ringRecords, FileDescriptor eventFd) {
        this.memory = memory;
        this.eventFd = eventFd;
        base = memory.address;
        ringMask = ringRecords - 1;
        ring = base + InboxLayout.ringOffset(ringRecords);
        payloadRing = base + InboxLayout.payloadOffset(ringRecords);
    }

    static int alignedPayloadBytes(int lengthBytes) {
        return (lengthBytes + InboxLayout.PAYLOAD_ALIGNMENT - 1) & -InboxLayout.PAYLOAD_ALIGNMENT;
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

    /**
     * Whether the peer has a receive posted and room for {@code payloadBytes}. If not, the peer will write this side's
     * event descriptor.
     */
    boolean isReadyFor(int payloadBytes) {
        if (hasCredit(payloadBytes)) {
            return true;
        }
        UnsafeApi.putIntOpaque(null, base + InboxLayout.STARVED, 1);
        UnsafeApi.fullFence();
        return hasCredit(payloadBytes);
    }

    private boolean hasCredit(int payloadBytes) {
        if (sentRecords >= knownPostedReceives) {
            knownPostedReceives = UnsafeApi.getLongAcquire(null, base + InboxLayout.POSTED_RECEIVES);
        }
        return sentRecords < knownPostedReceives && (payloadBytes == 0 || hasRoom(payloadBytes));
    }

    private boolean hasRoom(int payloadBytes) {
        long consumed = UnsafeApi.getLongAcquire(null, base + InboxLayout.PAYLOAD_CONSUMED);
        long end = payloadStart(payloadBytes) + alignedPayloadBytes(payloadBytes);
        return end - consumed <= InboxLayout.PAYLOAD_RING_BYTES;
    }

    /** Messages do not wrap: a message that would starts at the beginning of the ring. */
    private long payloadStart(int payloadBytes) {
        int offset = (int) payloadProduced & (InboxLayout.PAYLOAD_RING_BYTES - 1);
        return offset + payloadBytes <= InboxLayout.PAYLOAD_RING_BYTES
                ? payloadProduced
                : payloadProduced + InboxLayout.PAYLOAD_RING_BYTES - offset;
    }

    int nextReceiveLength() {
        return UnsafeApi.getInt(null, base + InboxLayout.RECEIVE_LENGTHS + 4 * (sentRecords & ringMask));
    }

    /** Claims the room that {@link #isReadyFor} found and returns its position. */
    long claimPayload(int payloadBytes) {
        long start = payloadStart(payloadBytes);
        payloadProduced = start + alignedPayloadBytes(payloadBytes);
        return start;
    }

    long payloadAddress(long position) {
        return payloadRing + (position & (InboxLayout.PAYLOAD_RING_BYTES - 1));
    }

    /**
     * Publishes a record, and with it all earlier writes of this thread. Returns true if the peer was asleep and was
     * woken.
     */
    boolean push(int opcode, int imm, int byteLen, long payloadPosition) {
        long record = ring + InboxLayout.RECORD_BYTES * (sentRecords & ringMask);
        UnsafeApi.putInt(null, record + InboxLayout.OPCODE, opcode);
        UnsafeApi.putInt(null, record + InboxLayout.IMM, imm);
        UnsafeApi.putInt(null, record + InboxLayout.BYTE_LEN, byteLen);
        UnsafeApi.putLong(null, record + InboxLayout.PAYLOAD_POSITION, payloadPosition);
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
