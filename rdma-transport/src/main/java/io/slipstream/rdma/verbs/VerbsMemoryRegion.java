// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.MemoryRegion;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A registered region: pages of this process and the ibv_mr that pins them. Allocated memory outlives its registration
 * as long as a view of its buffer is referenced: a late reader finds old bytes instead of a missing page. The mapping
 * of a file has no buffer and is unmapped with its registration.
 *
 * <pre>
 *   REGISTERED ──deregister──▶ RELEASED
 *        └──refused by the device──▶ QUARANTINED ──deregister──▶ RELEASED
 * </pre>
 *
 * <p>ibv_dereg_mr(3) is the fence: after it has returned, the device neither reads nor writes these pages. It may
 * interrupt a message, so a message without a completion by then does not count.
 */
final class VerbsMemoryRegion extends MemoryRegion {
    private static final Logger log = LoggerFactory.getLogger(VerbsMemoryRegion.class);

    private enum Life {
        REGISTERED,
        QUARANTINED,
        RELEASED
    }

    private static final Cleaner CLEANER = Cleaner.create();

    final VerbsProtectionDomain domain;
    /** The ibv_mr. */
    private final long region;

    private final boolean isFile;
    private volatile Life life = Life.REGISTERED;

    /** @param buffer null for a file, and for memory of 2 GiB or more */
    private VerbsMemoryRegion(
            VerbsProtectionDomain domain,
            Set<Access> access,
            long address,
            long lengthBytes,
            long region,
            int[] keys,
            long accountedBytes,
            ByteBuffer buffer,
            boolean isFile) {
        super(address, lengthBytes, keys[0], keys[1], access, accountedBytes, buffer);
        this.domain = domain;
        this.region = region;
        this.isFile = isFile;
    }

    static VerbsMemoryRegion allocate(VerbsProtectionDomain domain, long lengthBytes, Set<Access> access)
            throws IOException {
        NativeVerbs natives = domain.device.natives;
        long address = natives.allocate(lengthBytes);
        int[] keys = new int[2];
        long region = register(domain, address, lengthBytes, bits(access), keys);
        ByteBuffer buffer = lengthBytes <= Integer.MAX_VALUE
                ? natives.bufferAt(address, (int) lengthBytes).order(ByteOrder.LITTLE_ENDIAN)
                : null;
        VerbsMemoryRegion made =
                new VerbsMemoryRegion(domain, access, address, lengthBytes, region, keys, lengthBytes, buffer, false);
        // All views reference this buffer.
        CLEANER.register(buffer != null ? buffer : made, () -> natives.unmap(address, lengthBytes));
        return made;
    }

    private static int bits(Set<Access> access) {
        // ibv_reg_mr(3) requires local write access for remote write access.
        int bits = VerbsLayout.ACCESS_LOCAL_WRITE;
        bits |= access.contains(Access.REMOTE_READ) ? VerbsLayout.ACCESS_REMOTE_READ : 0;
        return bits | (access.contains(Access.REMOTE_WRITE) ? VerbsLayout.ACCESS_REMOTE_WRITE : 0);
    }

    static VerbsMemoryRegion mapFile(
            VerbsProtectionDomain domain,
            Path file,
            long positionBytes,
            long lengthBytes,
            long accountedBytes,
            boolean writable)
            throws IOException {
        long address = domain.device.natives.mapFile(file.toString(), positionBytes, lengthBytes, writable);
        int[] keys = new int[2];
        long region = register(domain, address, lengthBytes, VerbsLayout.ACCESS_REMOTE_READ, keys);
        return new VerbsMemoryRegion(
                domain, Set.of(Access.REMOTE_READ), address, lengthBytes, region, keys, accountedBytes, null, true);
    }

    /** Returns the ibv_mr. If the device refuses the pages, they are unmapped. */
    private static long register(VerbsProtectionDomain domain, long address, long lengthBytes, int access, int[] keys)
            throws IOException {
        NativeVerbs natives = domain.device.natives;
        try {
            return natives.registerMemory(domain.nativeDomain, address, lengthBytes, access, keys);
        } catch (IOException | RuntimeException e) {
            natives.unmap(address, lengthBytes);
            throw e;
        }
    }

    boolean covers(long address, int sizeBytes) {
        return life == Life.REGISTERED && contains(address, sizeBytes);
    }

    @Override
    public boolean isRegistered() {
        return life == Life.REGISTERED;
    }

    /** The device does not wait for peers, so the deadline is unused. */
    @Override
    public synchronized boolean deregister(long timeoutNs) {
        if (life == Life.RELEASED) {
            return true;
        }
        try {
            domain.device.natives.deregisterMemory(region);
            if (isFile) {
                domain.device.natives.unmap(address(), lengthBytes());
            }
        } catch (IOException e) {
            log.error("A region of {} bytes could not be deregistered and is kept: {}", lengthBytes(), e.getMessage());
            life = Life.QUARANTINED;
            return false;
        }
        life = Life.RELEASED;
        domain.deregistered(this);
        return true;
    }

    @Override
    public void close() {
        deregister(0);
    }
}
