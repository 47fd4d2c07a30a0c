// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.ProtectionDomain;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Regions by key. Local segments may also be any direct memory, because this provider's operations run on the caller's
 * CPU.
 */
final class ShmProtectionDomain implements ProtectionDomain {
    /** Never the key of a region ({@link ShmDevice#newKey}). */
    static final int ANY_LOCAL_MEMORY_KEY = 1;

    final ShmDevice device;
    private final KeyTable<ShmMemoryRegion> regions = new KeyTable<>();
    private final AtomicLong registeredBytes = new AtomicLong();
    private volatile boolean closed;

    ShmProtectionDomain(ShmDevice device) {
        this.device = device;
    }

    @Override
    public MemoryRegion allocate(long lengthBytes, Set<Access> access) throws IOException {
        Objects.requireNonNull(access, "access");
        ensureOpen();
        SharedMemory memory = SharedMemory.create(lengthBytes, device.peers, access.equals(Set.of(Access.REMOTE_READ)));
        if (access.isEmpty()) {
            memory.forget();
        }
        return added(new ShmMemoryRegion(this, device.newKey(), Set.copyOf(access), memory));
    }

    @Override
    public MemoryRegion registerFile(Path file, long positionBytes, long lengthBytes) throws IOException {
        if (lengthBytes < 1 || positionBytes < 0 || positionBytes + lengthBytes > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("not a range below 2^31 bytes: " + positionBytes + " + " + lengthBytes);
        }
        ensureOpen();
        RandomAccessFile opened = new RandomAccessFile(file.toFile(), "r");
        return added(new ShmMemoryRegion(this, device.newKey(), opened, positionBytes, lengthBytes));
    }

    private void ensureOpen() {
        if (closed) {
            throw new IllegalStateException("protection domain is closed");
        }
    }

    private ShmMemoryRegion added(ShmMemoryRegion region) {
        registeredBytes.addAndGet(region.accountedBytes);
        regions.put(region.lkey(), region);
        return region;
    }

    /** Files are read by pread(2). */
    @Override
    public boolean pinsFiles() {
        return false;
    }

    @Override
    public int anyLocalMemoryKey() {
        return ANY_LOCAL_MEMORY_KEY;
    }

    @Override
    public long registeredBytes() {
        return registeredBytes.get();
    }

    /** Data path: whether a work request may name that local range. */
    boolean coversLocally(int lkey, long address, int sizeBytes) {
        if (sizeBytes == 0 || (lkey == ANY_LOCAL_MEMORY_KEY && address != 0)) {
            return true;
        }
        ShmMemoryRegion region = regions.get(lkey);
        return region != null && region.coversLocally(address, sizeBytes);
    }

    /** Stops new local use of the region. */
    void unlink(ShmMemoryRegion region) {
        regions.remove(region.lkey());
    }

    void released(ShmMemoryRegion region) {
        registeredBytes.addAndGet(-region.accountedBytes);
    }

    @Override
    public void close() {
        closed = true;
        // One deadline for all regions: a peer that holds one usually holds them all.
        long deadlineNs = System.nanoTime() + ShmMemoryRegion.DEFAULT_DEADLINE_NS;
        for (ShmMemoryRegion region : regions.values()) {
            region.deregister(Math.max(0, deadlineNs - System.nanoTime()));
        }
        device.forgetIfEmpty(this);
    }
}
