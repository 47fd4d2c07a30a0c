// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.QueuePairConfig;
import io.slipstream.rdma.WorkRequest;
import java.io.IOException;

/** What a queue pair to be made has been promised: room in its completion queue, and its protection domain's existence. */
final class VerbsReservation {
    private final VerbsDevice device;
    private final QueuePairConfig config;
    private final VerbsCompletionQueue completionQueue;
    private final VerbsProtectionDomain domain;

    /** Throws IllegalArgumentException for what can never work. */
    VerbsReservation(VerbsDevice device, QueuePairConfig config) {
        this.device = device;
        this.config = config;
        if (!(config.completionQueue() instanceof VerbsCompletionQueue queue)
                || !(config.protectionDomain() instanceof VerbsProtectionDomain protectionDomain)
                || protectionDomain.device() != device
                || queue.device() != device) {
            throw new IllegalArgumentException("completion queue and protection domain must be of this device");
        }
        int mostDepth = Math.min(device.limits().mostWorkRequests() - 1, WorkRequestId.MAX_SLOTS);
        if (config.sendDepth() > mostDepth || config.receiveDepth() > mostDepth) {
            throw new IllegalArgumentException("queue depths are at most " + mostDepth + " on this device: "
                    + config.sendDepth() + ", " + config.receiveDepth());
        }
        completionQueue = queue;
        domain = protectionDomain;
        completionQueue.reserve(depths());
        try {
            domain.retain();
        } catch (IllegalStateException e) {
            completionQueue.unreserve(depths(), 0);
            throw e;
        }
    }

    private int depths() {
        return config.sendDepth() + config.receiveDepth();
    }

    QueuePairConfig config() {
        return config;
    }

    VerbsCompletionQueue completionQueue() {
        return completionQueue;
    }

    VerbsProtectionDomain domain() {
        return domain;
    }

    /** Connection thread. One send request more than asked for: the keep-alive's. */
    long createQueuePair(long id) throws IOException {
        return device.natives()
                .createQueuePair(
                        id,
                        domain.nativeDomain(),
                        completionQueue.nativeQueue(),
                        config.sendDepth() + 1,
                        config.receiveDepth(),
                        WorkRequest.MAX_SEGMENTS,
                        0);
    }

    /** Gives it back, once: no queue pair was made of it, or that is destroyed. */
    void release(int leftBehind) {
        completionQueue.unreserve(depths(), leftBehind);
        domain.release();
    }
}
