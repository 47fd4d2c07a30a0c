// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.FileRegistration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The kinds of file mapping that the kernel lets a device pin, by file system. It finds them by trying, once beside the
 * first file of each file system. Kernels before 6.2 pin only mappings that this process can write. Any thread.
 */
final class FileRegistrations {
    private static final Logger log = LoggerFactory.getLogger(FileRegistrations.class);
    private static final int PROBE_BYTES = 64 << 10;

    private final NativeVerbs natives;
    private final long context;
    private final Map<Object, FileRegistration> byFileSystem = new ConcurrentHashMap<>();

    FileRegistrations(NativeVerbs natives, long context) {
        this.natives = natives;
        this.context = context;
    }

    FileRegistration of(Path file) throws IOException {
        Object fileSystem = Files.getAttribute(file, "unix:dev");
        FileRegistration known = byFileSystem.get(fileSystem);
        if (known == null) {
            known = probe(file.toAbsolutePath().getParent());
            byFileSystem.put(fileSystem, known);
            log.info("File registration beside {}: {}", file, known);
        }
        return known;
    }

    FileRegistration probe(Path directory) throws IOException {
        long domain = natives.allocateProtectionDomain(context);
        try {
            return probe(natives, domain, directory);
        } finally {
            natives.deallocateProtectionDomain(domain);
        }
    }

    /**
     * Registers a temporary file in {@code directory}, then deletes it. A refusal by the kernel is a result. Throws an
     * IOException if the file cannot be created or mapped, or if the memory does not suffice to tell.
     */
    static FileRegistration probe(NativeVerbs natives, long domain, Path directory) throws IOException {
        Path file = Files.createTempFile(directory, "slipstream-probe", ".tmp");
        try {
            // Written in full, because log segments have no holes either.
            Files.write(file, new byte[PROBE_BYTES]);
            return new FileRegistration(
                    registers(natives, domain, file, false), registers(natives, domain, file, true));
        } finally {
            Files.delete(file);
        }
    }

    private static boolean registers(NativeVerbs natives, long domain, Path file, boolean writable) throws IOException {
        long address = natives.mapFile(file.toString(), 0, PROBE_BYTES, writable);
        try {
            natives.deregisterMemory(
                    natives.registerMemory(domain, address, PROBE_BYTES, VerbsLayout.ACCESS_REMOTE_READ, new int[2]));
            return true;
        } catch (RegistrationException e) {
            if (e.isOutOfMemory()) {
                throw e;
            }
            log.debug("{}, writable {}: {}", file, writable, e.getMessage());
            return false;
        } finally {
            natives.unmap(address, PROBE_BYTES);
        }
    }
}
