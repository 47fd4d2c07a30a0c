// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import io.slipstream.process.TempDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Copies of a broker's logs after a kill ({@code KILL-dead}) and after recovery ({@code KILL-recovered}). They stay
 * until the directory is deleted.
 */
final class Images {
    /** The broker writes the quorum's log before it serves, and it has no client records. */
    private static final String QUORUM = "__cluster_metadata";

    private static final int OFFSET_ENTRY_BYTES = 8;
    private static final int TIME_ENTRY_BYTES = 12;

    private final Path directory;

    Images(Path directory) {
        this.directory = directory;
    }

    Path dead(Kill kill) {
        return directory.resolve(kill.number() + "-dead");
    }

    Path recovered(Kill kill) {
        return directory.resolve(kill.number() + "-recovered");
    }

    /** Image at the end, after shutdown of the broker. */
    Path atRest() {
        return directory.resolve("at-rest");
    }

    /**
     * Copies the logs of all partitions; they must have no writer. Index files of active segments are preallocated, and
     * Kafka's tool reads the zeros at their end as entries. The copy therefore ends after the last entry, as after a
     * clean shutdown.
     */
    static void copy(Path logDirectory, Path target) {
        try {
            for (Path log : list(logDirectory)) {
                if (Files.isDirectory(log) && !log.getFileName().toString().startsWith(QUORUM)) {
                    Path to = Files.createDirectories(target.resolve(log.getFileName()));
                    for (Path file : list(log)) {
                        copyFile(file, to.resolve(file.getFileName()));
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot copy " + logDirectory, e);
        }
    }

    /** Reads the logs of the named partition directories. */
    static Map<String, LogImage> read(Path image, List<String> directories) {
        Map<String, LogImage> images = new TreeMap<>();
        for (String name : directories) {
            if (Files.isDirectory(image.resolve(name))) {
                images.put(name, LogImage.of(image.resolve(name)));
            }
        }
        return images;
    }

    void delete() {
        TempDirectory.delete(directory);
    }

    private static List<Path> list(Path of) throws IOException {
        try (Stream<Path> files = Files.list(of)) {
            return files.sorted().toList();
        }
    }

    private static void copyFile(Path file, Path target) throws IOException {
        try {
            Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
        } catch (NoSuchFileException gone) {
            // A stopped broker had deleted the file after the listing.
            return;
        }
        String name = target.toString();
        if (name.endsWith(".index")) {
            cutZeros(target, OFFSET_ENTRY_BYTES);
        } else if (name.endsWith(".timeindex")) {
            cutZeros(target, TIME_ENTRY_BYTES);
        }
    }

    /** No entry is all zeros: it would be of position 0, but the first batch of a segment has no entry. */
    private static void cutZeros(Path index, int entryBytes) throws IOException {
        byte[] bytes = Files.readAllBytes(index);
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] == 0) {
            end--;
        }
        // The tool reports a partial entry.
        int whole = (end + entryBytes - 1) / entryBytes * entryBytes;
        if (whole < bytes.length) {
            Files.write(index, Arrays.copyOf(bytes, whole));
        }
    }
}
