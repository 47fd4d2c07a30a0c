// SPDX-License-Identifier: Apache-2.0
package io.slipstream.doctor;

import io.slipstream.rdma.DeviceConfig;
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
 * Checks which kinds of file registration the kernel allows the RDMA device. The answer depends on file system and
 * kernel, so the check registers a small file in each directory. Without a device it reports nothing.
 */
final class FileRegistrationCheck implements Check {
    private static final String SUBJECT = "file registration";

    private final Optional<RdmaProvider> provider;
    private final List<Path> directories;

    /** @param directories the brokers' log directories and the directory of the rings */
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
        try (RdmaDevice device = provider.get().open(DeviceConfig.DEFAULT)) {
            for (Path directory : directories) {
                findings.add(examine(device, directory));
            }
        } catch (IOException e) {
            findings.add(Finding.warn(SUBJECT, "cannot open the device: " + e.getMessage(), "see the lines above"));
        }
        return findings;
    }

    private static Finding examine(RdmaDevice device, Path directory) {
        if (!Files.isDirectory(directory)) {
            return Finding.warn(SUBJECT, directory + " is not a directory", "pass the directories of log.dirs");
        }
        try {
            FileRegistration can = device.probe(directory);
            String state = directory + ": remote read " + reading(can);
            return can.remoteRead()
                    ? Finding.ok(SUBJECT, state)
                    : Finding.warn(SUBJECT, state, "fetches from it go over TCP; use another file system");
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
