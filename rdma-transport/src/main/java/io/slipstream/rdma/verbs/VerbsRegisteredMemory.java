// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.io.IOException;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;

/**
 * Pages of this process and the ibv_mr that pins them. Allocated memory outlives its registration as long as a view of
 * its buffer is referenced: a late reader finds old bytes instead of a missing page. The mapping of a file has no
 * buffer and is unmapped with its registration.
 *
 * @param region the ibv_mr
 * @param buffer null for a file, and for memory of 2 GiB or more
 */
record VerbsRegisteredMemory(
        NativeVerbs natives,
        long address,
        long lengthBytes,
        long region,
        int lkey,
        int rkey,
        ByteBuffer buffer,
        boolean isFile) {
    private static final Cleaner CLEANER = Cleaner.create();

    static VerbsRegisteredMemory allocate(NativeVerbs natives, long domain, long lengthBytes, int access)
            throws IOException {
        long address = natives.allocate(lengthBytes);
        int[] keys = new int[2];
        long region;
        try {
            region = natives.registerMemory(domain, address, lengthBytes, access, keys);
        } catch (IOException | RuntimeException e) {
            natives.unmap(address, lengthBytes);
            throw e;
        }
        ByteBuffer buffer = lengthBytes <= Integer.MAX_VALUE
                ? natives.bufferAt(address, (int) lengthBytes).order(ByteOrder.LITTLE_ENDIAN)
                : null;
        VerbsRegisteredMemory memory =
                new VerbsRegisteredMemory(natives, address, lengthBytes, region, keys[0], keys[1], buffer, false);
        // All views reference this buffer.
        CLEANER.register(buffer != null ? buffer : memory, () -> natives.unmap(address, lengthBytes));
        return memory;
    }

    static VerbsRegisteredMemory mapFile(
            NativeVerbs natives, long domain, Path file, long positionBytes, long lengthBytes, boolean writable)
            throws IOException {
        long address = natives.mapFile(file.toString(), positionBytes, lengthBytes, writable);
        int[] keys = new int[2];
        try {
            long region = natives.registerMemory(domain, address, lengthBytes, VerbsLayout.ACCESS_REMOTE_READ, keys);
            return new VerbsRegisteredMemory(natives, address, lengthBytes, region, keys[0], keys[1], null, true);
        } catch (IOException | RuntimeException e) {
            natives.unmap(address, lengthBytes);
            throw e;
        }
    }

    /** Synchronous. Call it once. */
    void deregister() throws IOException {
        natives.deregisterMemory(region);
        if (isFile) {
            natives.unmap(address, lengthBytes);
        }
    }
}
