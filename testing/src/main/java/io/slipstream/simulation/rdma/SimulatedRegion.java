// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.rdma;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.simulation.SimulatedFiles.SimulatedFile;
import io.slipstream.simulation.SimulatedMemory;
import java.util.Set;

/** Registered memory, or a window of a file. Deregistration takes effect between two pieces of a message. */
final class SimulatedRegion extends MemoryRegion {
    private final SimulatedDomain domain;
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
        super(
                address,
                lengthBytes,
                key,
                key,
                access,
                lengthBytes,
                file == null ? SimulatedMemory.at(address, (int) lengthBytes) : null);
        this.domain = domain;
        this.file = file;
        this.positionBytes = positionBytes;
    }

    /** Returns whether a peer may perform this access now. */
    boolean permits(Access wanted, long remoteAddress, long bytes) {
        if (!registered || !access().contains(wanted) || !contains(remoteAddress, bytes)) {
            return false;
        }
        long end = positionBytes + remoteAddress - address() + bytes;
        return file == null || (end <= file.capacityBytes && (domain.pinsFiles() || end <= file.sizeBytes));
    }

    /** Returns whether bytes of the file are named that are not written. */
    boolean exceeds(long remoteAddress, long bytes) {
        return positionBytes + remoteAddress - address() + bytes > file.sizeBytes;
    }

    boolean isFile() {
        return file != null;
    }

    /** Returns the owner of the file. */
    Object owner() {
        return file.owner;
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
                SimulatedMemory.free(address(), (int) lengthBytes());
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
