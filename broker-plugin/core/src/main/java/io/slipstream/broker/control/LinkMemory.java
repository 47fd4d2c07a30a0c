package io.slipstream.broker.control;

import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.rdma.Access;
import io.slipstream.rdma.MemoryRegion;
import io.slipstream.rdma.ProtectionDomain;
import java.io.IOException;
import java.util.EnumSet;

/**
 * The registered memory of one link at the broker.
 *
 * @param requestRing written by the proxy
 * @param controlWord 8 bytes, written by the proxy: how far it consumed the reply ring
 * @param staging replies on their way; local only
 */
record LinkMemory(MemoryRegion requestRing, MemoryRegion controlWord, MemoryRegion staging) {
    static final int CONTROL_WORD_BYTES = 8;

    static LinkMemory allocate(ProtectionDomain domain, int requestRingBytes, int replyRingBytes) throws IOException {
        MemoryRegion requestRing = null;
        MemoryRegion controlWord = null;
        try {
            requestRing = domain.allocate(requestRingBytes, EnumSet.of(Access.REMOTE_WRITE));
            controlWord = domain.allocate(CONTROL_WORD_BYTES, EnumSet.of(Access.REMOTE_WRITE));
            return new LinkMemory(
                    requestRing, controlWord, domain.allocate(replyRingBytes, EnumSet.noneOf(Access.class)));
        } catch (IOException | RuntimeException e) {
            close(controlWord);
            close(requestRing);
            throw e;
        }
    }

    static RemoteMemory name(MemoryRegion region) {
        return new RemoteMemory(region.address(), region.lengthBytes(), region.rkey());
    }

    /** Waits for peers to let go, within the provider's deadline: not for the control thread. */
    void close() {
        close(requestRing);
        close(controlWord);
        close(staging);
    }

    private static void close(MemoryRegion region) {
        if (region != null) {
            region.close();
        }
    }
}
