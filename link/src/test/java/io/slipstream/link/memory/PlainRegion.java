// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.memory;

import io.slipstream.rdma.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.Set;

/** Memory that no device knows. */
public final class PlainRegion extends MemoryRegion {
    public PlainRegion(int lengthBytes) {
        super(1 << 20, lengthBytes, 1, 1, Set.of(), lengthBytes, ByteBuffer.allocateDirect(lengthBytes));
    }

    @Override
    public boolean isRegistered() {
        return true;
    }

    @Override
    public boolean deregister(long timeoutNs) {
        return true;
    }

    @Override
    public void close() {}
}
