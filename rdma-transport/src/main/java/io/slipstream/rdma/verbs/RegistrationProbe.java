// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.FileRegistration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the kinds of file mapping that the kernel lets a device pin, by trying. Kernels before 6.2 pin only mappings
 * that this process can write.
 */
public final class RegistrationProbe {
    private static final Logger log = LoggerFactory.getLogger(RegistrationProbe.class);
    private static final int LENGTH_BYTES = 64 << 10;

    private RegistrationProbe() {}

    /**
     * Registers a temporary file in {@code directory}, then deletes it. A refusal by the kernel is a result. Throws an
     * IOException if the file cannot be created or mapped, or if the memory does not suffice to tell.
     */
    public static FileRegistration probe(NativeVerbs natives, long domain, Path directory) throws IOException {
        Path file = Files.createTempFile(directory, "slipstream-probe", ".tmp");
        try {
            // Written in full, because log segments have no holes either.
            Files.write(file, new byte[LENGTH_BYTES]);
            return new FileRegistration(
                    registers(natives, domain, file, false), registers(natives, domain, file, true));
        } finally {
            Files.delete(file);
        }
    }

    private static boolean registers(NativeVerbs natives, long domain, Path file, boolean writable) throws IOException {
        long address = natives.mapFile(file.toString(), 0, LENGTH_BYTES, writable);
        try {
            natives.deregisterMemory(
                    natives.registerMemory(domain, address, LENGTH_BYTES, VerbsLayout.ACCESS_REMOTE_READ, new int[2]));
            return true;
        } catch (RegistrationException e) {
            if (e.isOutOfMemory()) {
                throw e;
            }
            log.debug("{}, writable {}: {}", file, writable, e.getMessage());
            return false;
        } finally {
            natives.unmap(address, LENGTH_BYTES);
        }
    }
}
