// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

import java.nio.ByteBuffer;
import java.util.Set;

/**
 * Registered memory. Only peers to which the region was exported ({@link QueuePair#export}) can use the rights in
 * {@code access}. The caller synchronises its own reads and writes through {@link #buffer()}. Any thread.
 */
public interface MemoryRegion extends AutoCloseable {
    /**
     * The address of the first byte in work requests, local and remote. For allocated memory it is the address of
     * {@link #buffer()}. For a file it is an opaque number that is valid only in work requests of peers.
     */
    long address();

    long lengthBytes();

    int lkey();

    int rkey();

    Set<Access> access();

    /**
     * The memory itself: direct, little-endian, position 0, limit = length. Views stay readable after {@link
     * #deregister} as long as they are referenced. Throws IllegalStateException for a file.
     */
    ByteBuffer buffer();

    boolean isRegistered();

    /**
     * Fences. After this returns true, no byte changes and none is read through this region, and further attempts of
     * peers complete with {@link CompletionStatus#REM_ACCESS_ERR}. A result of false means that a peer did not release
     * the region by the deadline: the provider quarantines its memory, which must never be reused. Idempotent. Blocks
     * up to the deadline, so do not call it on the data path.
     */
    boolean deregister(long timeoutNs);

    /** Calls {@link #deregister} with the provider's default deadline. */
    @Override
    void close();
}
