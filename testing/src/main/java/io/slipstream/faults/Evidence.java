// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.schedule.Schedule;
import io.slipstream.process.TempDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.Map;

/** Files of one run of a seed in one arm: {@code SEED-ARM.history} and the process logs in {@code SEED-ARM.logs}. */
final class Evidence {
    private final Path history;
    private final Path logs;

    Evidence(Schedule schedule, Arm arm, Path directory) {
        String name = schedule.seed() + "-" + arm.name().toLowerCase(Locale.ROOT);
        history = directory.resolve(name + ".history");
        logs = directory.resolve(name + ".logs");
    }

    Path history() {
        return history;
    }

    /** Copies logs under their process names and skips missing ones. */
    void keep(Map<String, Path> logsByProcess) {
        try {
            Files.createDirectories(logs);
            for (Map.Entry<String, Path> log : logsByProcess.entrySet()) {
                if (Files.isRegularFile(log.getValue())) {
                    Files.copy(
                            log.getValue(), logs.resolve(log.getKey() + ".log"), StandardCopyOption.REPLACE_EXISTING);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot keep logs in " + logs, e);
        }
    }

    void delete() {
        try {
            Files.deleteIfExists(history);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + history, e);
        }
        TempDirectory.delete(logs);
    }
}
