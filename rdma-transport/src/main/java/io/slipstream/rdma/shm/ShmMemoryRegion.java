// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.provider.OwnerActivity;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A region of allocated memory or of a file that peers read.
 *
 * <pre>
 *   REGISTERED ──deregister──▶ FENCING ──peers and own queue pairs have left──▶ RELEASED
 *                                 └──deadline──▶ QUARANTINED ──peers let go or end──▶ RELEASED
 * </pre>
 *
 * <p>RELEASED closes the descriptor, unless it was passed: that of a file is closed then. The mapping lives as long as
 * {@link #buffer()} is referenced: received bytes can be examined after the fence, and a late reader finds old bytes
 * instead of a missing page.
 */
final class ShmMemoryRegion extends MemoryRegion {
    static final long DEFAULT_DEADLINE_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int SPINS_BEFORE_PARKING = 1000;
    private static final long PARK_NS = TimeUnit.MICROSECONDS.toNanos(20);

    private enum Life {
        REGISTERED,
        FENCING,
        QUARANTINED,
        RELEASED
    }

    final ShmProtectionDomain domain;
    /** Null for a file. */
    private final SharedMemory memory;
    /** Null for memory, and for a file whose descriptor was passed to a peer. Guarded by {@link #exports}. */
    private RandomAccessFile file;

    /** Held while fencing. The connection thread never waits for it, because that thread reports the ends of peers. */
    private final ReentrantLock fence = new ReentrantLock();

    private volatile Life life = Life.REGISTERED;
    private final List<RegionExport> exports = new ArrayList<>();
    private List<OwnerActivity.Mark> ownersAtRevocation = List.of();

    ShmMemoryRegion(ShmProtectionDomain domain, int key, Set<Access> access, SharedMemory memory) {
        super(memory.address, memory.sizeBytes, key, key, access, memory.sizeBytes, memory.buffer);
        this.domain = domain;
        this.memory = memory;
    }

    /** The low half of the address is the position in the file: see {@link RemoteRegion}. */
    ShmMemoryRegion(ShmProtectionDomain domain, int key, RandomAccessFile file, long positionBytes, long lengthBytes)
            throws IOException {
        super(
                (key & 0x7FFF_FFFFL) << 32 | positionBytes,
                lengthBytes,
                key,
                key,
                Set.of(Access.REMOTE_READ),
                Math.min(lengthBytes, Math.max(0, file.length() - positionBytes)),
                null);
        this.domain = domain;
        this.memory = null;
        this.file = file;
    }

    @Override
    public boolean isRegistered() {
        return life == Life.REGISTERED;
    }

    boolean coversLocally(long localAddress, int sizeBytes) {
        return memory != null && contains(localAddress, sizeBytes);
    }

    /** Connection thread: announces this region to the export's peer. */
    void exportTo(RegionExport export, ShmLink link) throws IOException {
        RandomAccessFile passed;
        synchronized (exports) {
            if (life != Life.REGISTERED) {
                throw new IOException("region is no longer registered");
            }
            passed = memory == null
                    ? takeFile()
                    : Descriptors.reopen(
                            Descriptors.numberOf(memory.file), RemoteRegion.isWritable(accessBits()) ? "rw" : "r");
            export.region = this;
            exports.add(export);
        }
        boolean isFile = memory == null;
        link.send(new Message.Export(export.slot, rkey(), isFile, accessBits(), address(), lengthBytes()), passed);
    }

    /** The peer gets the only descriptor. This process reads no file for it, and needs none. */
    private RandomAccessFile takeFile() throws IOException {
        RandomAccessFile opened = file;
        if (opened == null) {
            throw new IOException("a region of a file is exported to one queue pair");
        }
        file = null;
        return opened;
    }

    private int accessBits() {
        return access().stream().mapToInt(RemoteRegion::bit).reduce(0, (a, b) -> a | b);
    }

    @Override
    public boolean deregister(long timeoutNs) {
        long deadlineNs = System.nanoTime() + timeoutNs;
        if (!fence.tryLock()) {
            if (timeoutNs == 0) {
                return false;
            }
            fence.lock();
        }
        try {
            if (life == Life.RELEASED) {
                return true;
            }
            if (life == Life.REGISTERED) {
                revoke();
            }
            awaitQuiet(deadlineNs);
            life = isQuiet() ? release() : Life.QUARANTINED;
        } finally {
            fence.unlock();
        }
        // A peer that ended while the lock was held could not release the region itself.
        settle();
        return life == Life.RELEASED;
    }

    private void revoke() {
        List<RegionExport> revoked;
        synchronized (exports) {
            life = Life.FENCING;
            revoked = List.copyOf(exports);
        }
        domain.unlink(this);
        revoked.forEach(export -> export.revoke(rkey()));
        ownersAtRevocation = domain.device.markOwners();
    }

    private boolean isQuiet() {
        synchronized (exports) {
            if (!exports.stream().allMatch(RegionExport::isQuiet)) {
                return false;
            }
        }
        return ownersAtRevocation.stream().allMatch(OwnerActivity.Mark::isPast);
    }

    private void awaitQuiet(long deadlineNs) {
        int spins = 0;
        while (!isQuiet() && System.nanoTime() - deadlineNs < 0) {
            if (++spins < SPINS_BEFORE_PARKING) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(PARK_NS);
            }
        }
    }

    private Life release() {
        if (memory != null) {
            memory.forget();
        }
        synchronized (exports) {
            if (file != null) {
                Descriptors.close(file);
            }
        }
        domain.released(this);
        return Life.RELEASED;
    }

    /** Connection thread. */
    void exportIsOver(RegionExport export) {
        settle();
        synchronized (exports) {
            exports.remove(export);
        }
    }

    private void settle() {
        if (life == Life.QUARANTINED && fence.tryLock()) {
            try {
                if (life == Life.QUARANTINED && isQuiet()) {
                    life = release();
                }
            } finally {
                fence.unlock();
            }
        }
    }

    @Override
    public void close() {
        deregister(DEFAULT_DEADLINE_NS);
    }
}
