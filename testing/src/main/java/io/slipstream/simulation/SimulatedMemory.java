// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * All registered memory and all files of a world, in one direct buffer. Released memory is soon reused at the same
 * address, which reveals use after release.
 */
public final class SimulatedMemory {
    private static final int SIZE_BYTES = 64 << 20;
    private static final int ALIGNMENT_BYTES = 64;
    private static final ByteBuffer MEMORY = ByteBuffer.allocateDirect(SIZE_BYTES + ALIGNMENT_BYTES);
    private static final long BASE = BufferUtil.address(MEMORY) + ALIGNMENT_BYTES - 1 & -ALIGNMENT_BYTES;
    private static final int BASE_INDEX = (int) (BASE - BufferUtil.address(MEMORY));
    private static final Map<Integer, ArrayDeque<Long>> FREE = new HashMap<>();
    private static int used;

    private SimulatedMemory() {}

    static void clear() {
        FREE.clear();
        used = 0;
    }

    /** Returns the address of zeroed memory, a multiple of 64. */
    public static long allocate(int sizeBytes) {
        int size = sizeBytes + ALIGNMENT_BYTES - 1 & -ALIGNMENT_BYTES;
        ArrayDeque<Long> free = FREE.get(size);
        long address;
        if (free != null && !free.isEmpty()) {
            address = free.poll();
        } else if (used + size > SIZE_BYTES) {
            throw new IllegalStateException("a world needs more than " + SIZE_BYTES + " bytes");
        } else {
            address = BASE + used;
            used += size;
        }
        UnsafeApi.setMemory(address, size, (byte) 0);
        return address;
    }

    public static void free(long address, int sizeBytes) {
        int size = sizeBytes + ALIGNMENT_BYTES - 1 & -ALIGNMENT_BYTES;
        FREE.computeIfAbsent(size, s -> new ArrayDeque<>()).add(address);
    }

    /** Returns a little-endian view of the memory. */
    public static ByteBuffer at(long address, int sizeBytes) {
        return MEMORY.slice(BASE_INDEX + (int) (address - BASE), sizeBytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
