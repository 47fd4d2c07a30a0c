// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.MemoryRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A registered region of allocated memory or of a file.
 *
 * <pre>
 *   REGISTERED ──deregister──▶ RELEASED
 *        └──refused by the device──▶ QUARANTINED ──deregister──▶ RELEASED
 * </pre>
 *
 * <p>ibv_dereg_mr(3) is the fence: after it has returned, the device neither reads nor writes these pages. It may
 * interrupt a message, so a message without a completion by then does not count.
 */
final class VerbsMemoryRegion implements MemoryRegion {
    private static final Logger log = LoggerFactory.getLogger(VerbsMemoryRegion.class);

    private enum Life {
        REGISTERED,
        QUARANTINED,
        RELEASED
    }

    private final VerbsProtectionDomain domain;
    private final Set<Access> access;
    private final VerbsRegisteredMemory memory;
    private final long accountedBytes;
    private volatile Life life = Life.REGISTERED;

    VerbsMemoryRegion(
            VerbsProtectionDomain domain, Set<Access> access, VerbsRegisteredMemory memory, long accountedBytes) {
        this.domain = domain;
        this.access = access;
        this.memory = memory;
        this.accountedBytes = accountedBytes;
    }

    VerbsProtectionDomain domain() {
        return domain;
    }

    /** The contribution to the registered bytes. A file counts with the size that it had when it was registered. */
    long accountedBytes() {
        return accountedBytes;
    }

    boolean covers(long address, int sizeBytes) {
        long offset = address - memory.address();
        return life == Life.REGISTERED && offset >= 0 && offset <= memory.lengthBytes() - sizeBytes;
    }

    @Override
    public long address() {
        return memory.address();
    }

    @Override
    public long lengthBytes() {
        return memory.lengthBytes();
    }

    @Override
    public int lkey() {
        return memory.lkey();
    }

    @Override
    public int rkey() {
        return memory.rkey();
    }

    @Override
    public Set<Access> access() {
        return access;
    }

    @Override
    public ByteBuffer buffer() {
        if (memory.buffer() == null) {
            throw new IllegalStateException(
                    memory.isFile() ? "a file region has no buffer" : "a region of 2 GiB or more has no buffer");
        }
        return memory.buffer().duplicate().order(ByteOrder.LITTLE_ENDIAN);
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
            memory.deregister();
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
