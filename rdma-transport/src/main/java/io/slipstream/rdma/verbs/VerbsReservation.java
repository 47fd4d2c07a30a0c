// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.QueuePairConfig;
import io.slipstream.rdma.WorkRequest;
import java.io.IOException;

/**
 * Reservations for a queue pair that is being created: room in its completion queue, and a reference to its protection
 * domain.
 */
final class VerbsReservation {
    private final VerbsDevice device;
    final QueuePairConfig config;
    final VerbsCompletionQueue completionQueue;
    final VerbsProtectionDomain domain;

    /** Throws IllegalArgumentException for a configuration that can never work. */
    VerbsReservation(VerbsDevice device, QueuePairConfig config) {
        this.device = device;
        this.config = config;
        if (!(config.completionQueue() instanceof VerbsCompletionQueue queue)
                || !(config.protectionDomain() instanceof VerbsProtectionDomain protectionDomain)
                || protectionDomain.device != device
                || queue.device != device) {
            throw new IllegalArgumentException("completion queue and protection domain must be of this device");
        }
        int mostDepth = Math.min(device.mostWorkRequests - 1, WorkRequestId.MAX_SLOTS);
        if (config.sendDepth() > mostDepth || config.receiveDepth() > mostDepth) {
            throw new IllegalArgumentException("queue depths are at most " + mostDepth + " on this device: "
                    + config.sendDepth() + ", " + config.receiveDepth());
        }
        completionQueue = queue;
        domain = protectionDomain;
        completionQueue.reserve(config.depths());
        try {
            domain.retain();
        } catch (IllegalStateException e) {
            completionQueue.unreserve(config.depths(), 0);
            throw e;
        }
    }

    /** Connection thread. Asks for one send request more, for the keep-alive. */
    long createQueuePair(long id) throws IOException {
        return device.natives.createQueuePair(
                id,
                domain.nativeDomain,
                completionQueue.queue,
                config.sendDepth() + 1,
                config.receiveDepth(),
                WorkRequest.MAX_SEGMENTS);
    }

    /**
     * Releases the reservation, once: the queue pair was not created or is destroyed.
     *
     * @param leftBehind number of completions that it may have left in the completion queue
     */
    void release(int leftBehind) {
        completionQueue.unreserve(config.depths(), leftBehind);
        domain.release();
    }
}
