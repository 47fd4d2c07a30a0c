// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.ring;

import io.slipstream.rdma.MemoryRegion;
import java.nio.ByteBuffer;
import java.util.Set;

/** Memory that no device knows. */
final class StubRegion extends MemoryRegion {
    StubRegion(ByteBuffer buffer) {
        super(0, buffer.capacity(), 1, 1, Set.of(), buffer.capacity(), buffer);
    }

    @Override
    public boolean isRegistered() {
        return true;
    }

    @Override
    public boolean deregister(long timeoutNs) {
        throw new UnsupportedOperationException("deregister");
    }

    @Override
    public void close() {
        throw new UnsupportedOperationException("close");
    }
}
