// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.rdma.Access;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.RdmaDevice;
import java.io.IOException;
import java.util.EnumSet;
import java.util.concurrent.CompletionException;

/**
 * The registered memory of one link at the broker. Each link has its own protection domain. With verbs a key is valid
 * for all queue pairs of a domain, and a proxy must not reach another proxy's memory.
 *
 * @param requestRing written by the proxy
 * @param controlWord 8 bytes, written by the proxy: the consumed position of the reply ring
 * @param staging replies in transit; not remotely accessible
 * @param copies of requests, before the broker reads them; not remotely accessible
 */
record LinkRegions(
        ProtectionDomain domain,
        MemoryRegion requestRing,
        MemoryRegion controlWord,
        MemoryRegion staging,
        MemoryRegion copies) {
    /** Throws CompletionException if there is no memory, or if what is left is the broker's. */
    static LinkRegions allocate(RdmaDevice device, int requestRingBytes, int replyRingBytes) {
        ProtectionDomain domain = device.createProtectionDomain();
        try {
            DescriptorReserve.check();
            return new LinkRegions(
                    domain,
                    domain.allocate(requestRingBytes, EnumSet.of(Access.REMOTE_WRITE)),
                    domain.allocate(Long.BYTES, EnumSet.of(Access.REMOTE_WRITE)),
                    domain.allocate(replyRingBytes, EnumSet.noneOf(Access.class)),
                    domain.allocate(requestRingBytes, EnumSet.noneOf(Access.class)));
        } catch (IOException | RuntimeException e) {
            domain.close();
            throw new CompletionException(e);
        }
    }

    /**
     * Deregisters the regions that the proxy can write. After the return their bytes no longer change. Blocks for the
     * device or for a peer's release, at most for the provider's deadline. A region that is not released in time is
     * never reused.
     */
    void fence(PluginMeters counters) {
        requestRing.close();
        counters.fenced(requestRing.deregister(0));
        controlWord.close();
        counters.fenced(controlWord.deregister(0));
    }

    /** Closes the rest, after the queue pair and all other users of the domain are gone. */
    void close() {
        staging.close();
        copies.close();
        domain.close();
    }
}
