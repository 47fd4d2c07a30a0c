// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

import java.util.Objects;

/**
 * Configuration of a queue pair.
 *
 * @param protectionDomain the domain whose regions it can export
 * @param completionQueue receives all its completions
 * @param sendDepth maximum number of outstanding send requests
 * @param receiveDepth maximum number of outstanding receives
 * @param listener called at the end of the connection
 */
public record QueuePairConfig(
        ProtectionDomain protectionDomain,
        CompletionQueue completionQueue,
        int sendDepth,
        int receiveDepth,
        DisconnectListener listener) {
    public QueuePairConfig {
        Objects.requireNonNull(protectionDomain, "protectionDomain");
        Objects.requireNonNull(completionQueue, "completionQueue");
        Objects.requireNonNull(listener, "listener");
        if (sendDepth < 1 || receiveDepth < 1) {
            throw new IllegalArgumentException("queue depths must be positive: " + sendDepth + ", " + receiveDepth);
        }
    }

    /** Room that the queue pair takes in its completion queue. */
    public int depths() {
        return sendDepth + receiveDepth;
    }

    /** Called once, on the device's connection thread, when a queue pair leaves CONNECTED. Must not block or throw. */
    @FunctionalInterface
    public interface DisconnectListener {
        void onDisconnected(QueuePair queuePair, String reason);
    }
}
