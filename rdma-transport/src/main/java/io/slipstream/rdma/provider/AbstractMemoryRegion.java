// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.provider;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;

/** What a region is. The provider adds its life. */
public abstract class AbstractMemoryRegion implements MemoryRegion {
    private final long address;
    private final long lengthBytes;
    private final int lkey;
    private final int rkey;
    private final Set<Access> access;
    /** The contribution to the registered bytes. A file counts with the size that it had when it was registered. */
    public final long accountedBytes;

    private final ByteBuffer buffer;

    /** @param buffer all of the memory; null if it cannot be accessed as one buffer */
    protected AbstractMemoryRegion(
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

    @Override
    public final long address() {
        return address;
    }

    @Override
    public final long lengthBytes() {
        return lengthBytes;
    }

    @Override
    public final int lkey() {
        return lkey;
    }

    @Override
    public final int rkey() {
        return rkey;
    }

    @Override
    public final Set<Access> access() {
        return access;
    }

    @Override
    public final ByteBuffer buffer() {
        if (buffer == null) {
            throw new IllegalStateException("a region of a file, or of 2 GiB or more, has no buffer");
        }
        return buffer.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    }

    protected final boolean contains(long start, int sizeBytes) {
        long offset = start - address;
        return offset >= 0 && offset <= lengthBytes - sizeBytes;
    }
}
