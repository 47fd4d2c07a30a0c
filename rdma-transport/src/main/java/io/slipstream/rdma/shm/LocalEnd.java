// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.netty.channel.unix.FileDescriptor;
import io.slipstream.rdma.QueuePairConfig;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.List;

/** This side's half of a connection during its handshake: memory and reservations, which are released if it fails. */
final class LocalEnd {
    private final ShmDevice device;
    private final QueuePairConfig config;
    private final ShmCompletionQueue completionQueue;
    final OwnInbox inbox;
    private boolean consumed;

    LocalEnd(ShmDevice device, QueuePairConfig config) throws IOException {
        this.device = device;
        this.config = config;
        if (!(config.completionQueue() instanceof ShmCompletionQueue queue)
                || !(config.protectionDomain() instanceof ShmProtectionDomain domain)
                || domain.device != device
                || queue.device != device) {
            throw new IllegalArgumentException("completion queue and protection domain must be of this device");
        }
        if (config.receiveDepth() > InboxLayout.MAX_RING_RECORDS) {
            throw new IllegalArgumentException("receive depth is at most " + InboxLayout.MAX_RING_RECORDS);
        }
        completionQueue = queue;
        completionQueue.reserve(config.depths(), 0);
        try {
            inbox = new OwnInbox(config.receiveDepth(), device.peers);
        } catch (IOException | RuntimeException e) {
            completionQueue.unreserve(config.depths());
            throw e;
        }
    }

    /** Sends {@code message} with the inbox and the event descriptor. */
    void sendWith(ShmLink link, Message message) throws IOException {
        FileDescriptor eventFd = completionQueue.openEventFd();
        RandomAccessFile passed = Descriptors.reopen(Descriptors.numberOf(inbox.memory.file), "rw");
        link.send(message, passed, eventFd);
    }

    /** Takes ownership of the peer's inbox and event descriptor. From now on the queue pair is the link's listener. */
    ShmQueuePair establish(ShmLink link, int peerRingRecords, List<FileDescriptor> descriptors) throws IOException {
        FileDescriptor inboxDescriptor = descriptors.get(0);
        FileDescriptor eventFd = descriptors.get(1);
        PeerInbox peerInbox;
        try {
            SharedMemory memory = SharedMemory.map(inboxDescriptor, true, InboxLayout.sizeBytes(peerRingRecords));
            peerInbox = new PeerInbox(memory, peerRingRecords, eventFd);
        } catch (IOException e) {
            Descriptors.close(eventFd);
            throw new IOException("cannot map the peer's inbox: " + e.getMessage(), e);
        } finally {
            Descriptors.close(inboxDescriptor);
        }
        consumed = true;
        ShmQueuePair queuePair =
                new ShmQueuePair(device.queuePairNumbers.incrementAndGet(), config, inbox, peerInbox, link, device);
        link.listener = queuePair.control;
        device.add(queuePair);
        completionQueue.add(queuePair);
        return queuePair;
    }

    /** Connection thread: the handshake failed. Idempotent. */
    void discard() {
        if (!consumed) {
            consumed = true;
            inbox.memory.unmap();
            completionQueue.unreserve(config.depths());
        }
    }
}
