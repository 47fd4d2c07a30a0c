// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.FileRegistration;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.ProtectionDomain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An ibv_pd and its regions. It is deallocated when it is closed and its last region and queue pair are gone. */
final class VerbsProtectionDomain implements ProtectionDomain {
    static final int PAGE_BYTES = 4096;
    private static final Logger log = LoggerFactory.getLogger(VerbsProtectionDomain.class);

    final VerbsDevice device;
    final long nativeDomain;

    /** By lkey. Guarded by this, like all fields below. */
    private final Map<Integer, VerbsMemoryRegion> regions = new HashMap<>();

    private long registeredBytes;
    /** Number of queue pairs, regions and registrations in progress. */
    private int users;

    private boolean closed;
    private boolean deallocated;

    VerbsProtectionDomain(VerbsDevice device) throws IOException {
        this.device = device;
        this.nativeDomain = device.natives.allocateProtectionDomain(device.context);
    }

    /** Keeps the ibv_pd allocated until {@link #release}. */
    synchronized void retain() {
        if (closed) {
            throw new IllegalStateException("protection domain is closed");
        }
        users++;
    }

    void release() {
        synchronized (this) {
            users--;
            if (!closed || users > 0 || deallocated) {
                return;
            }
            deallocated = true;
        }
        try {
            device.natives.deallocateProtectionDomain(nativeDomain);
        } catch (IOException e) {
            log.error("A protection domain could not be deallocated: {}", e.getMessage());
        }
        device.forgetDomain(this);
    }

    @Override
    public MemoryRegion allocate(long lengthBytes, Set<Access> access) throws IOException {
        Objects.requireNonNull(access, "access");
        if (lengthBytes < 1) {
            throw new IllegalArgumentException("length must be positive: " + lengthBytes);
        }
        Set<Access> granted = Set.copyOf(access);
        return register(() -> VerbsMemoryRegion.allocate(this, lengthBytes, granted));
    }

    @Override
    public MemoryRegion registerFile(Path file, long positionBytes, long lengthBytes) throws IOException {
        if (lengthBytes < 1 || positionBytes < 0 || positionBytes % PAGE_BYTES != 0) {
            throw new IllegalArgumentException(
                    "not a range at a multiple of 4096: " + positionBytes + " + " + lengthBytes);
        }
        long heldBytes = Files.size(file) - positionBytes;
        if (heldBytes < 1) {
            throw new IOException(file + " holds nothing from byte " + positionBytes
                    + " on; only what a file holds can be registered on this device");
        }
        FileRegistration possible = device.fileRegistrations.of(file);
        if (!possible.remoteRead()) {
            throw new IOException("the kernel does not let the device read this file: " + file);
        }
        long lastPageEnd = (heldBytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
        long length = Math.min(lengthBytes, lastPageEnd);
        return register(() -> VerbsMemoryRegion.mapFile(
                this, file, positionBytes, length, Math.min(length, heldBytes), !possible.readByReadOnlyMapping()));
    }

    private interface Registration {
        VerbsMemoryRegion make() throws IOException;
    }

    private MemoryRegion register(Registration registration) throws IOException {
        retain();
        VerbsMemoryRegion region = null;
        try {
            region = registration.make();
        } finally {
            if (region == null) {
                release();
            }
        }
        boolean late;
        synchronized (this) {
            regions.put(region.lkey(), region);
            registeredBytes += region.accountedBytes;
            late = closed;
        }
        if (late) {
            region.close();
            throw new IllegalStateException("protection domain is closed");
        }
        return region;
    }

    /** Local segments must be registered. */
    @Override
    public int anyLocalMemoryKey() {
        return -1;
    }

    @Override
    public synchronized long registeredBytes() {
        return registeredBytes;
    }

    /** Whether a work request may name that local range. Used only to explain failures. */
    synchronized boolean coversLocally(int lkey, long address, int sizeBytes) {
        VerbsMemoryRegion region = regions.get(lkey);
        return region != null && region.covers(address, sizeBytes);
    }

    /** The region is fenced. */
    void deregistered(VerbsMemoryRegion region) {
        synchronized (this) {
            regions.remove(region.lkey(), region);
            registeredBytes -= region.accountedBytes;
        }
        release();
    }

    @Override
    public void close() {
        List<VerbsMemoryRegion> left;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            left = List.copyOf(regions.values());
            // Held until all regions are released.
            users++;
        }
        left.forEach(VerbsMemoryRegion::close);
        release();
    }
}
