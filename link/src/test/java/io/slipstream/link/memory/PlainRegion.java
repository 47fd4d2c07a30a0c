// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.memory;

import io.slipstream.rdma.Access;
import io.slipstream.rdma.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;

/** Memory that no device knows. */
public final class PlainRegion implements MemoryRegion {
    private final ByteBuffer bytes;

    public PlainRegion(int lengthBytes) {
        bytes = ByteBuffer.allocateDirect(lengthBytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public long address() {
        return 1 << 20;
    }

    @Override
    public long lengthBytes() {
        return bytes.capacity();
    }

    @Override
    public int lkey() {
        return 1;
    }

    @Override
    public int rkey() {
        return 1;
    }

    @Override
    public Set<Access> access() {
        return Set.of();
    }

    @Override
    public ByteBuffer buffer() {
        return bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
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
