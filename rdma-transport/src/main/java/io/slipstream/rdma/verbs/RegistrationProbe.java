// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.FileRegistration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out by trying which kinds of file mapping the kernel lets a device pin. It depends on kernel and file system: before 6.2 nothing
 * that this process cannot write, since about 6.5 no remote writing into files on disk. Where earlier kernels let a device write those, trying says
 * nothing: the file system does not learn of the writing, and may drop or lose the page. So the type of the file system decides first.
 */
public final class RegistrationProbe {
    private static final Logger log = LoggerFactory.getLogger(RegistrationProbe.class);
    private static final int LENGTH_BYTES = 64 << 10;

    private RegistrationProbe() {}

    /**
     * Tries it with a file of its own in {@code directory}, which is gone afterwards. Throws if that cannot be made or mapped, or if there is
     * too little memory to say; a kernel that refuses is an answer.
     */
    public static FileRegistration probe(NativeVerbs natives, long domain, Path directory) throws IOException {
        Path file = Files.createTempFile(directory, "slipstream-probe", ".tmp");
        try {
            // No hole: pages of a real log are there.
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
