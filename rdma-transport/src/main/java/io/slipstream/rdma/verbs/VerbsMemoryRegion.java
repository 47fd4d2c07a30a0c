// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.provider.AbstractMemoryRegion;
import java.io.IOException;
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
final class VerbsMemoryRegion extends AbstractMemoryRegion {
    private static final Logger log = LoggerFactory.getLogger(VerbsMemoryRegion.class);

    private enum Life {
        REGISTERED,
        QUARANTINED,
        RELEASED
    }

    final VerbsProtectionDomain domain;
    private final VerbsRegisteredMemory memory;
    private volatile Life life = Life.REGISTERED;

    VerbsMemoryRegion(
            VerbsProtectionDomain domain, Set<Access> access, VerbsRegisteredMemory memory, long accountedBytes) {
        super(
                memory.address(),
                memory.lengthBytes(),
                memory.lkey(),
                memory.rkey(),
                access,
                accountedBytes,
                memory.buffer());
        this.domain = domain;
        this.memory = memory;
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
