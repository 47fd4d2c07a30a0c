// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.schedule.Schedule;
import io.slipstream.process.TempDirectory;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/** Files of one run of a seed in one arm: {@code SEED-ARM.history} and the process logs in {@code SEED-ARM.logs}. */
final class Evidence {
    private static final String COMPRESSED = ".gz";

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

    /** Compresses what was not deleted. {@code gunzip} makes it readable again. */
    void compress() {
        try {
            compress(history);
            if (Files.isDirectory(logs)) {
                try (Stream<Path> files = Files.list(logs)) {
                    for (Path file : files.toList()) {
                        compress(file);
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot compress " + history, e);
        }
    }

    private static void compress(Path file) throws IOException {
        if (!Files.isRegularFile(file) || file.toString().endsWith(COMPRESSED)) {
            return;
        }
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(Path.of(file + COMPRESSED)))) {
            Files.copy(file, out);
        }
        Files.delete(file);
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
