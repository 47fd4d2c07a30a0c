// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.rdma;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.simulation.SimulatedFiles.SimulatedFile;
import io.slipstream.simulation.SimulatedMemory;
import java.nio.ByteBuffer;
import java.util.Set;

/** Registered memory, or a window of a file. Deregistration takes effect between two pieces of a message. */
final class SimulatedRegion implements MemoryRegion {
    private final SimulatedDomain domain;
    private final long address;
    private final long lengthBytes;
    private final int key;
    private final Set<Access> access;
    /** Null for allocated memory. */
    private final SimulatedFile file;

    private final long positionBytes;
    private boolean registered = true;

    SimulatedRegion(
            SimulatedDomain domain,
            long address,
            long lengthBytes,
            int key,
            Set<Access> access,
            SimulatedFile file,
            long positionBytes) {
        this.domain = domain;
        this.address = address;
        this.lengthBytes = lengthBytes;
        this.key = key;
        this.access = access;
        this.file = file;
        this.positionBytes = positionBytes;
    }

    /** Returns whether a peer may perform this access now. */
    boolean permits(Access wanted, long remoteAddress, long bytes) {
        if (!registered || !access.contains(wanted) || !contains(remoteAddress, bytes)) {
            return false;
        }
        long end = positionBytes + remoteAddress - address + bytes;
        return file == null || (end <= file.capacityBytes && (domain.pinsFiles() || end <= file.sizeBytes));
    }

    /** Returns whether bytes of the file are named that are not written. */
    boolean exceeds(long remoteAddress, long bytes) {
        return positionBytes + remoteAddress - address + bytes > file.sizeBytes;
    }

    boolean isFile() {
        return file != null;
    }

    /** Returns the owner of the file. */
    Object owner() {
        return file.owner;
    }

    boolean contains(long from, long bytes) {
        return from >= address && bytes <= lengthBytes && from - address <= lengthBytes - bytes;
    }

    @Override
    public long address() {
        return address;
    }

    @Override
    public long lengthBytes() {
        return lengthBytes;
    }

    @Override
    public int lkey() {
        return key;
    }

    @Override
    public int rkey() {
        return key;
    }

    @Override
    public Set<Access> access() {
        return access;
    }

    @Override
    public ByteBuffer buffer() {
        if (file != null) {
            throw new IllegalStateException("a file that peers read has no buffer");
        }
        return SimulatedMemory.at(address, (int) lengthBytes);
    }

    @Override
    public boolean isRegistered() {
        return registered;
    }

    @Override
    public boolean deregister(long timeoutNs) {
        if (registered) {
            registered = false;
            domain.remove(this);
            if (file == null) {
                SimulatedMemory.free(address, (int) lengthBytes);
            }
        }
        return true;
    }

    @Override
    public void close() {
        deregister(0);
    }

    /** The process ended, and its memory with it. */
    void vanish() {
        deregister(0);
    }
}
