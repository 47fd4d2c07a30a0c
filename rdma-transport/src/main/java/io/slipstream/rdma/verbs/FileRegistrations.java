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
 * The registration capabilities of each file system. Each is probed once, beside the first file of that file system.
 * Any thread.
 */
final class FileRegistrations {
    private static final Logger log = LoggerFactory.getLogger(FileRegistrations.class);

    private final NativeVerbs natives;
    private final long context;
    private final Map<Object, FileRegistration> byFileSystem = new ConcurrentHashMap<>();

    FileRegistrations(NativeVerbs natives, long context) {
        this.natives = natives;
        this.context = context;
    }

    FileRegistration probe(Path directory) throws IOException {
        long domain = natives.allocateProtectionDomain(context);
        try {
            return RegistrationProbe.probe(natives, domain, directory);
        } finally {
            natives.deallocateProtectionDomain(domain);
        }
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
}
