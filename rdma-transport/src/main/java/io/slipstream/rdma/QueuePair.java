// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;

/**
 * A reliable connection. Requests take effect at the target in posting order. Only the owner thread of the {@link
 * CompletionQueue} may post and poll. {@link #export}, {@link #disconnect}, {@link #state} and {@link #close} may be
 * called by any thread.
 */
public interface QueuePair extends AutoCloseable {
    /** Unique within the device while open. */
    int number();

    QueuePairState state();

    /** The reason why the queue pair left CONNECTED; null while it is connected. */
    String errorReason();

    /** The private data that the peer passed when it connected or accepted. Read-only, never null. */
    ByteBuffer peerPrivateData();

    /**
     * Posts a request. Returns {@link PostStatus#POSTED} or a negative {@link PostStatus}. Never blocks and allocates
     * nothing. The outcome arrives as a completion. The caller may reuse {@code request} at once, but the memory it
     * names only after the completion.
     */
    long post(WorkRequest request);

    /**
     * Posts a receive. A SEND stores its bytes there; a WRITE_WITH_IMM only consumes it, so a length of 0 is then
     * enough. Returns {@link PostStatus#POSTED} or a negative status.
     */
    long postReceive(long wrId, int lkey, long localAddress, int lengthBytes);

    /**
     * Grants the peer a region of this queue pair's protection domain. The stage completes when the peer's work
     * requests may name the region's rkey. It fails if the connection breaks first. To revoke the grant, deregister the
     * region.
     */
    CompletionStage<Void> export(MemoryRegion region);

    /** Moves both ends to {@link QueuePairState#ERROR}. Outstanding work completes with errors. Idempotent. */
    void disconnect(String reason);

    /** Disconnects and frees all resources of this queue pair. Idempotent. */
    @Override
    void close();
}
