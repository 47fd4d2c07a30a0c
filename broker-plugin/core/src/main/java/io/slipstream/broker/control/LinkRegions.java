// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.control;

import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.rdma.Access;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.ProtectionDomain;
import io.slipstream.rdma.RdmaDevice;
import java.io.IOException;
import java.util.EnumSet;

/**
 * The registered memory of one link at the broker, in a protection domain of its own: where keys are good in a whole
 * domain (verbs), those of one proxy must not open another's memory.
 *
 * @param requestRing written by the proxy
 * @param controlWord 8 bytes, written by the proxy: how far it consumed the reply ring
 * @param staging replies on their way; local only
 */
record LinkRegions(ProtectionDomain domain, MemoryRegion requestRing, MemoryRegion controlWord, MemoryRegion staging) {
    static final int CONTROL_WORD_BYTES = 8;

    static LinkRegions allocate(RdmaDevice device, int requestRingBytes, int replyRingBytes) throws IOException {
        ProtectionDomain domain = device.createProtectionDomain();
        try {
            return new LinkRegions(
                    domain,
                    domain.allocate(requestRingBytes, EnumSet.of(Access.REMOTE_WRITE)),
                    domain.allocate(CONTROL_WORD_BYTES, EnumSet.of(Access.REMOTE_WRITE)),
                    domain.allocate(replyRingBytes, EnumSet.noneOf(Access.class)));
        } catch (IOException | RuntimeException e) {
            domain.close();
            throw e;
        }
    }

    static RemoteMemory name(MemoryRegion region) {
        return new RemoteMemory(region.address(), region.lengthBytes(), region.rkey());
    }

    /**
     * When this returns no byte that the proxy could write changes any more. Waits for the device, or for a peer to let
     * go, within the provider's deadline; a region that is not let go stays out of use for good.
     */
    void fence(PluginMeters counters) {
        requestRing.close();
        counters.fenced(requestRing.deregister(0));
        controlWord.close();
        counters.fenced(controlWord.deregister(0));
    }

    /** Once the queue pair and all other users of the domain are gone. */
    void close() {
        staging.close();
        domain.close();
    }
}
