// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * One ByteBuffer that can be moved to any native memory, so that channels can read there without allocating an object
 * per call. The buffer owns nothing and is valid only as long as that memory.
 */
final class AddressBuffer {
    private static final long CAPACITY_OFFSET = UnsafeApi.objectFieldOffset(java.nio.Buffer.class, "capacity");

    /** Keeps the original memory alive and freed by its own cleaner. Only the duplicate below is moved. */
    private final ByteBuffer anchor = ByteBuffer.allocateDirect(1);

    private final ByteBuffer buffer = anchor.duplicate();

    ByteBuffer at(long address, int lengthBytes) {
        UnsafeApi.putLong(buffer, BufferUtil.BYTE_BUFFER_ADDRESS_FIELD_OFFSET, address);
        UnsafeApi.putInt(buffer, CAPACITY_OFFSET, lengthBytes);
        buffer.clear();
        return buffer;
    }
}
