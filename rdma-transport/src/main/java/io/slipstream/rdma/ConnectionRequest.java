// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;

/**
 * A request of a peer to connect. The handler must call exactly one of {@link #accept} and {@link #reject} within the
 * device's handshake deadline. Any thread.
 */
public interface ConnectionRequest {
    /** The peer's private data; read-only. */
    ByteBuffer privateData();

    /**
     * Accepts. Receives may be posted as soon as the stage completes; the peer's connect completes after that. The
     * stage fails with an IOException if the peer gave up.
     */
    CompletionStage<QueuePair> accept(QueuePairConfig config);

    /** Refuses. The peer's connect fails with this reason. */
    void reject(String reason);
}
