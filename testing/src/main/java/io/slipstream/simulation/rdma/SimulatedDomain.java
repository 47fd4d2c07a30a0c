// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.rdma;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.simulation.SimulatedFiles;
import io.slipstream.simulation.SimulatedMemory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Regions of one protection domain. */
final class SimulatedDomain implements ProtectionDomain {
    private static final int ANY_MEMORY = 1;
    private static final int PAGE_BYTES = 4096;

    final SimulatedDevice device;
    private final Map<Integer, SimulatedRegion> byKey = new HashMap<>();

    SimulatedDomain(SimulatedDevice device) {
        this.device = device;
    }

    @Override
    public MemoryRegion allocate(long lengthBytes, Set<Access> access) {
        long address = SimulatedMemory.allocate((int) lengthBytes);
        return add(new SimulatedRegion(this, address, lengthBytes, device.fabric.newKey(), access, null, 0));
    }

    private SimulatedRegion add(SimulatedRegion region) {
        byKey.put(region.rkey(), region);
        return region;
    }

    @Override
    public MemoryRegion registerFile(Path path, long positionBytes, long lengthBytes) throws IOException {
        SimulatedFiles.SimulatedFile file = SimulatedFiles.open(path);
        long most =
                pinsFiles() ? (file.endBytes + PAGE_BYTES - 1L) / PAGE_BYTES * PAGE_BYTES - positionBytes : lengthBytes;
        if (most <= 0) {
            throw new IOException(path + " has no byte at " + positionBytes);
        }
        return add(new SimulatedRegion(
                this,
                file.address + positionBytes,
                Math.min(most, lengthBytes),
                device.fabric.newKey(),
                Set.of(Access.REMOTE_READ),
                file,
                positionBytes));
    }

    @Override
    public boolean pinsFiles() {
        return device.fabric.strict;
    }

    @Override
    public int anyLocalMemoryKey() {
        return device.fabric.strict ? -1 : ANY_MEMORY;
    }

    /** Returns whether the key covers this local segment. */
    boolean covers(int lkey, long address, int lengthBytes) {
        if (lengthBytes == 0 || (lkey == ANY_MEMORY && !device.fabric.strict)) {
            return true;
        }
        SimulatedRegion region = byKey.get(lkey);
        return region != null && region.contains(address, lengthBytes);
    }

    void remove(SimulatedRegion region) {
        byKey.remove(region.rkey());
    }

    @Override
    public long registeredBytes() {
        long sum = 0;
        for (SimulatedRegion region : byKey.values()) {
            sum += region.lengthBytes();
        }
        return sum;
    }

    void vanish() {
        for (SimulatedRegion region : List.copyOf(byKey.values())) {
            region.vanish();
        }
    }

    @Override
    public void close() {
        new ArrayList<>(byKey.values()).forEach(SimulatedRegion::close);
    }
}
