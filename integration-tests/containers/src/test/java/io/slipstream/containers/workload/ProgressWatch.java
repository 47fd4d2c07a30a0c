// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers.workload;

import io.slipstream.process.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Follows the growing files of running clients. Not safe for concurrent use. */
final class ProgressWatch {
    private static final int CHUNK_BYTES = 1 << 20;

    private final Path directory;
    private final Map<Path, Long> positions = new HashMap<>();
    private final Map<Path, String> halfLines = new HashMap<>();
    private final Map<String, Progress> progress = new TreeMap<>();

    /** Counts of one language over all its starts. */
    record Progress(long acknowledged, long read) {
        Progress plus(Progress other) {
            return new Progress(acknowledged + other.acknowledged, read + other.read);
        }

        boolean isPast(Progress before, long records) {
            return acknowledged >= before.acknowledged + records && read >= before.read + records;
        }
    }

    ProgressWatch(Path directory) {
        this.directory = directory;
    }

    /** Returns the current counts by language. */
    Map<String, Progress> counts() {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".jsonl")).toList()) {
                follow(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot follow the files in " + directory, e);
        }
        return new TreeMap<>(progress);
    }

    /**
     * Returns when each language has acknowledged and read this many more records than {@code before}. Throws with all
     * counts on timeout.
     */
    void await(Iterable<String> languages, Map<String, Progress> before, long records, Duration patience) {
        boolean all = Deadline.after(patience).await(() -> {
            Map<String, Progress> now = counts();
            for (String language : languages) {
                if (!of(now, language).isPast(of(before, language), records)) {
                    return false;
                }
            }
            return true;
        });
        if (!all) {
            throw new AssertionError("not every client has sent and read " + records + " more records within "
                    + patience + "; before: " + before + ", now: " + counts());
        }
    }

    private static Progress of(Map<String, Progress> counts, String language) {
        return counts.getOrDefault(language, new Progress(0, 0));
    }

    private void follow(Path file) throws IOException {
        String language = file.getFileName().toString().split("-")[0];
        long position = positions.getOrDefault(file, 0L);
        try (FileChannel channel = FileChannel.open(file)) {
            ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
            for (int read = channel.read(chunk, position); read > 0; read = channel.read(chunk.clear(), position)) {
                position += read;
                String text = halfLines.getOrDefault(file, "")
                        + new String(chunk.array(), 0, read, StandardCharsets.ISO_8859_1);
                int end = text.lastIndexOf('\n') + 1;
                halfLines.put(file, text.substring(end));
                text.substring(0, end).lines().forEach(line -> count(language, line));
            }
        }
        positions.put(file, position);
    }

    private void count(String language, String line) {
        Progress more = line.contains("\"event\":\"acknowledged\"")
                ? new Progress(1, 0)
                : line.contains("\"event\":\"read\"") ? new Progress(0, 1) : new Progress(0, 0);
        progress.merge(language, more, Progress::plus);
    }
}
