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
    /** Its pages are the file: there is no other copy to which they would have to be written back. */
    private static final String WRITABLE_TYPE = "tmpfs";

    // ibv_access_flags
    private static final int LOCAL_WRITE = 1;
    private static final int REMOTE_WRITE = 2;
    private static final int REMOTE_READ = 4;

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
                    registers(natives, domain, file, false, REMOTE_READ),
                    registers(natives, domain, file, true, REMOTE_READ),
                    remoteWriteRefusal(natives, domain, file));
        } finally {
            Files.delete(file);
        }
    }

    private static String remoteWriteRefusal(NativeVerbs natives, long domain, Path file) throws IOException {
        Path directory = file.getParent();
        String type;
        try {
            type = Files.getFileStore(directory).type();
        } catch (IOException | SecurityException e) {
            return "the file system of " + directory + " cannot be told: " + e.getMessage();
        }
        if (!type.equals(WRITABLE_TYPE)) {
            return directory + " is on " + type
                    + ": Linux since 6.5 does not let a device write into files on disk, earlier"
                    + " ones may lose what it has written; only files on " + WRITABLE_TYPE + " can be written";
        }
        return registers(natives, domain, file, true, LOCAL_WRITE | REMOTE_WRITE)
                ? null
                : directory + " is on " + type + ", but this kernel does not let the device write into its files";
    }

    private static boolean registers(NativeVerbs natives, long domain, Path file, boolean writable, int access)
            throws IOException {
        long address = natives.mapFile(file.toString(), 0, LENGTH_BYTES, writable);
        try {
            natives.deregisterMemory(natives.registerMemory(domain, address, LENGTH_BYTES, access, new int[2]));
            return true;
        } catch (RegistrationException e) {
            if (e.isOutOfMemory()) {
                throw e;
            }
            log.debug("{}, writable {}, access {}: {}", file, writable, access, e.getMessage());
            return false;
        } finally {
            natives.unmap(address, LENGTH_BYTES);
        }
    }
}
