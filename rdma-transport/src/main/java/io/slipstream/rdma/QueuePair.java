// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;

/**
 * A reliable connection: requests take effect at the target in posting order. Posting and polling belong to the one owner
 * thread of its {@link CompletionQueue}; {@link #export}, {@link #disconnect}, {@link #state} and {@link #close} may be called by any thread.
 */
public interface QueuePair extends AutoCloseable {
    /** Unique within the device while open. */
    int number();

    QueuePairState state();

    /** Why the queue pair left CONNECTED; null while connected. */
    String errorReason();

    /** What the peer passed as private data when connecting or accepting; read-only, never null. */
    ByteBuffer peerPrivateData();

    /**
     * Posts a request. Returns {@link PostStatus#POSTED} or a negative {@link PostStatus}; never blocks, allocates nothing.
     * The outcome arrives as a completion. {@code request} may be reused at once, the memory it names only after completion.
     */
    long post(WorkRequest request);

    /**
     * Posts a receive: a SEND puts its bytes there, a WRITE_WITH_IMM only consumes it (length 0 is then fine).
     * Returns {@link PostStatus#POSTED} or a negative status.
     */
    long postReceive(long wrId, int lkey, long localAddress, int lengthBytes);

    /**
     * Lets the peer use a region of this side's protection domain. Completes when the peer is able to (its work requests may name the
     * region's rkey from then on), exceptionally if the connection breaks first. Regions are withdrawn by deregistering them.
     */
    CompletionStage<Void> export(MemoryRegion region);

    /** Moves both ends to {@link QueuePairState#ERROR}; outstanding work completes with errors. Idempotent. */
    void disconnect(String reason);

    /** Disconnects and frees everything of this queue pair. Idempotent. */
    @Override
    void close();
}
