// SPDX-License-Identifier: Apache-2.0
package io.slipstream.doctor;

import io.slipstream.rdma.FileRegistration;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.RdmaProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the kernel lets the RDMA device do with files: it differs between file systems and kernels, so it is tried, with a small file in each
 * directory. Says nothing where there is no device.
 */
final class FileRegistrationCheck implements Check {
    private static final String SUBJECT = "file registration";

    private final Optional<RdmaProvider> provider;
    private final List<Path> directories;

    /** @param directories of brokers' logs and of rings */
    FileRegistrationCheck(Optional<RdmaProvider> provider, List<Path> directories) {
        this.provider = provider;
        this.directories = directories;
    }

    @Override
    public List<Finding> examine() {
        if (provider.isEmpty() || provider.get().unavailableReason().isPresent()) {
            return List.of();
        }
        List<Finding> findings = new ArrayList<>();
        try (RdmaDevice device = provider.get().open()) {
            for (Path directory : directories) {
                findings.add(examine(device, directory));
            }
        } catch (IOException e) {
            findings.add(Finding.warn(SUBJECT, "the device does not open: " + e.getMessage(), "see the lines above"));
        }
        return findings;
    }

    private static Finding examine(RdmaDevice device, Path directory) {
        if (!Files.isDirectory(directory)) {
            return Finding.warn(SUBJECT, directory + " is no directory", "name the directories of log.dirs");
        }
        try {
            FileRegistration can = device.probe(directory);
            String state = directory + ": remote read " + reading(can);
            return can.remoteRead()
                    ? Finding.ok(SUBJECT, state)
                    : Finding.warn(SUBJECT, state, "fetches from there go over TCP; try another file system");
        } catch (IOException e) {
            return Finding.warn(SUBJECT, directory + ": " + e.getMessage(), "run as the broker's user");
        }
    }

    private static String reading(FileRegistration can) {
        if (can.readByReadOnlyMapping()) {
            return "by read-only mapping";
        }
        return can.readByWritableMapping() ? "by writable mapping" : "no";
    }
}
