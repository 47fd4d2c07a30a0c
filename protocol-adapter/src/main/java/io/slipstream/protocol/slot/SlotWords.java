// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.slot;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Little-endian words of a slot table in a buffer of either byte order, and the checksum of a slot. */
final class SlotWords {
    static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L; // 2^64 / golden ratio, odd

    private SlotWords() {}

    static int getInt(ByteBuffer buffer, int index) {
        return (int) INT.get(buffer, index);
    }

    static long getLong(ByteBuffer buffer, int index) {
        return (long) LONG.get(buffer, index);
    }

    /** One step of the checksum, over the next 8 bytes of the slot. */
    static long mix(long hash, long word) {
        long h = (hash ^ word) * MULTIPLIER;
        return h ^ (h >>> 32);
    }

    /** Checksum of the slot's first 56 bytes. Never 0 for an all-zero slot, so that an all-zero slot is never valid. */
    static int checksum(ByteBuffer buffer, int slotOffset) {
        long hash = SlotLayout.MAGIC;
        for (int i = 0; i < SlotLayout.CHECKSUM_OFFSET; i += Long.BYTES) {
            hash = mix(hash, getLong(buffer, slotOffset + i));
        }
        return (int) hash;
    }
}
