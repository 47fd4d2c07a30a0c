// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

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

    /**
     * Posts a request. Returns {@link PostStatus#POSTED} or a negative {@link PostStatus}. Never blocks and allocates
     * nothing. The outcome arrives as a completion. The caller may reuse {@code request} at once, but the memory it
     * names only after the completion.
     */
    long post(WorkRequest request);

    /**
     * Posts a receive, which one WRITE_WITH_IMM of the peer consumes. It has no memory. Returns {@link
     * PostStatus#POSTED} or a negative status.
     */
    long postReceive(long wrId);

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
