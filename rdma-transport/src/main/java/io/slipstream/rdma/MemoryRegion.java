// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

import java.nio.ByteBuffer;
import java.util.Set;

/**
 * Registered memory. What {@code access} grants, only those peers can use to whom the region was exported
 * ({@link QueuePair#export}); reading and writing through {@link #buffer()} is the owner's business.
 */
public interface MemoryRegion extends AutoCloseable {
    /**
     * Address by which work requests name the first byte, locally and remotely. For a region of allocated memory, and for a writable window of
     * a file, this is the address of {@link #buffer()}; for a file that peers read it is an opaque number that is only valid in their work requests.
     */
    long address();

    long lengthBytes();

    int lkey();

    int rkey();

    Set<Access> access();

    /**
     * The memory itself: direct, little-endian, position 0, limit = length. Views of it stay readable after {@link #deregister}, for as long as
     * somebody holds one. Throws IllegalStateException for a file that peers read.
     */
    ByteBuffer buffer();

    /** Whether the region is still registered. */
    boolean isRegistered();

    /**
     * Fences: when this returns true, no byte changes and none is read through this region any more, and peers that try get
     * {@link CompletionStatus#REM_ACCESS_ERR}. False: the peer did not let go by the deadline; memory of this region must then
     * never be reused (the provider keeps it quarantined). Idempotent. Blocks up to the deadline; not for the data path.
     */
    boolean deregister(long timeoutNs);

    /** {@link #deregister} with the provider's default deadline. */
    @Override
    void close();
}
