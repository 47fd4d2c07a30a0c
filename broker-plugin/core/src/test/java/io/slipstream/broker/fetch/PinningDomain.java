// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.ProtectionDomain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/**
 * The shared memory provider's domain with the rule of devices that pin files: a region ends at the page in which the
 * file ends at its registration.
 */
final class PinningDomain implements ProtectionDomain {
    private final ProtectionDomain domain;
    volatile IOException failure;

    PinningDomain(ProtectionDomain domain) {
        this.domain = domain;
    }

    @Override
    public MemoryRegion allocate(long lengthBytes, Set<Access> access) throws IOException {
        return domain.allocate(lengthBytes, access);
    }

    @Override
    public MemoryRegion registerFile(Path file, long positionBytes, long lengthBytes) throws IOException {
        if (failure != null) {
            throw failure;
        } else if (positionBytes % SegmentWindow.PAGE_BYTES != 0) {
            throw new IllegalArgumentException(positionBytes + " is not the start of a page");
        }
        long end = SegmentWindow.roundUp(Files.size(file));
        return domain.registerFile(file, positionBytes, Math.min(lengthBytes, end - positionBytes));
    }

    @Override
    public boolean pinsFiles() {
        return true;
    }

    @Override
    public int anyLocalMemoryKey() {
        return -1;
    }

    @Override
    public long registeredBytes() {
        return domain.registeredBytes();
    }

    @Override
    public void close() {
        domain.close();
    }
}
