// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;

/**
 * Registered memory. Only peers to which the region was exported ({@link QueuePair#export}) can use the rights in
 * {@code access}. The caller synchronises its own reads and writes through {@link #buffer()}. Any thread. The provider
 * adds the region's life.
 */
public abstract class MemoryRegion implements AutoCloseable {
    private final long address;
    private final long lengthBytes;
    private final int lkey;
    private final int rkey;
    private final Set<Access> access;
    /** The contribution to the registered bytes. A file counts with the size that it had when it was registered. */
    public final long accountedBytes;

    private final ByteBuffer buffer;

    /** @param buffer all of the memory; null if it cannot be accessed as one buffer */
    protected MemoryRegion(
            long address,
            long lengthBytes,
            int lkey,
            int rkey,
            Set<Access> access,
            long accountedBytes,
            ByteBuffer buffer) {
        this.address = address;
        this.lengthBytes = lengthBytes;
        this.lkey = lkey;
        this.rkey = rkey;
        this.access = access;
        this.accountedBytes = accountedBytes;
        this.buffer = buffer;
    }

    /**
     * The address of the first byte in work requests, local and remote. For allocated memory it is the address of
     * {@link #buffer()}. For a file it is an opaque number that is valid only in work requests of peers.
     */
    public final long address() {
        return address;
    }

    public final long lengthBytes() {
        return lengthBytes;
    }

    public final int lkey() {
        return lkey;
    }

    public final int rkey() {
        return rkey;
    }

    public final Set<Access> access() {
        return access;
    }

    /**
     * The memory itself: direct, little-endian, position 0, limit = length. Views stay readable after {@link
     * #deregister} as long as they are referenced. Throws IllegalStateException for a file.
     */
    public final ByteBuffer buffer() {
        if (buffer == null) {
            throw new IllegalStateException("a region of a file, or of 2 GiB or more, has no buffer");
        }
        return buffer.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Whether the region has that local range. */
    public final boolean contains(long start, long sizeBytes) {
        long offset = start - address;
        return offset >= 0 && offset <= lengthBytes - sizeBytes;
    }

    public abstract boolean isRegistered();

    /**
     * Fences. After this returns true, no byte changes and none is read through this region, and further attempts of
     * peers complete with {@link CompletionStatus#REM_ACCESS_ERR}. A result of false means that a peer did not release
     * the region by the deadline: the provider quarantines its memory, which must never be reused. Idempotent. Blocks
     * up to the deadline, so do not call it on the data path.
     */
    public abstract boolean deregister(long timeoutNs);

    /** Calls {@link #deregister} with the provider's default deadline. */
    @Override
    public abstract void close();
}
