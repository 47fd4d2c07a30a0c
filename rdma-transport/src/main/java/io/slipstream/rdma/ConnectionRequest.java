// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;

/** A peer that wants to connect. Exactly one of the two answers must be given, within the device's handshake deadline. */
public interface ConnectionRequest {
    /** The peer's private data; read-only. */
    ByteBuffer privateData();

    /** Accepts; receives may be posted as soon as the stage completes, and the peer's connect completes after ours. */
    CompletionStage<QueuePair> accept(QueuePairConfig config, ByteBuffer privateData);

    /** Refuses; the peer's connect fails with this reason. */
    void reject(String reason);
}
