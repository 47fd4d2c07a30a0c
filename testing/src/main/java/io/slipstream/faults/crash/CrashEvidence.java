// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import io.slipstream.process.TempDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;

/**
 * The files of one round in {@code SEED-crash-ARM}: history, process logs, the broker's log directory, and copies of it
 * before and after each recovery.
 */
final class CrashEvidence {
    private final Path directory;

    CrashEvidence(Path parent, CrashPlan plan, long seed) {
        directory = parent.resolve(seed + "-crash-" + plan.armLabel());
        delete();
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot create " + directory, e);
        }
    }

    Path directory() {
        return directory;
    }

    Path history() {
        return directory.resolve("history");
    }

    Images images() {
        return new Images(directory.resolve("images"));
    }

    /** Copies files that would be deleted with the processes. */
    void keep(Map<String, Path> logsByProcess, Path logDirectory) {
        try {
            for (Map.Entry<String, Path> log : logsByProcess.entrySet()) {
                if (Files.isRegularFile(log.getValue())) {
                    Files.copy(
                            log.getValue(),
                            directory.resolve(log.getKey() + ".log"),
                            StandardCopyOption.REPLACE_EXISTING);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot keep logs in " + directory, e);
        }
        Images.copy(logDirectory, directory.resolve("data"));
    }

    void delete() {
        TempDirectory.delete(directory);
    }
}
