// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import io.slipstream.faults.FaultFailure;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.ChildProcess;
import io.slipstream.process.Patience;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * Checks all log files with Kafka's DumpLogSegments in one separate JVM ({@link DumpMain}). It uses the tool of Kafka
 * 4.3, because that of 4.4.0 is not published; both lines write the same format. Not safe for concurrent use.
 */
public final class SegmentInspector implements AutoCloseable {
    private static final int PATIENCE_S = 60;
    private static final List<String> SUFFIXES = List.of(".log", ".index", ".timeindex", ".snapshot", ".txnindex");

    private final Process process;
    private final Writer paths;
    private final BufferedReader answers;
    private final ExecutorService reader = Executors.newSingleThreadExecutor(body -> {
        Thread thread = new Thread(body, "segment-inspector");
        thread.setDaemon(true);
        return thread;
    });
    /** Contents of intact segments at their last inspection, by name in the directory. */
    private final Map<String, Long> sound = new HashMap<>();

    private long files;
    private long batches;

    public SegmentInspector() {
        try {
            String ours = Path.of(DumpMain.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
            process = new ProcessBuilder(
                            ChildProcess.java(),
                            "-Xmx256m",
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-cp",
                            BrokerLine.KAFKA_4_3.classPath() + File.pathSeparator + ours,
                            DumpMain.class.getName())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException | java.net.URISyntaxException e) {
            throw new FaultFailure("cannot start DumpLogSegments: " + e.getMessage(), e);
        }
        paths = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
        answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /**
     * Returns the tool's findings in the logs of a directory, each with its file. Skips segments that, with their
     * indexes, have the same bytes as an intact segment of the same name.
     */
    public List<String> inspect(Path logDirectory) {
        List<String> damage = new ArrayList<>();
        Map<String, List<Path>> segments = filesIn(logDirectory).stream()
                .collect(Collectors.groupingBy(
                        file -> logDirectory.relativize(withoutSuffix(file)).toString(),
                        TreeMap::new,
                        Collectors.toList()));
        segments.forEach((name, ofSegment) -> {
            long content = content(ofSegment);
            if (!Long.valueOf(content).equals(sound.get(name))) {
                int before = damage.size();
                for (Path file : ofSegment) {
                    ask(file).forEach(line -> damage.add(logDirectory.relativize(file) + ": " + line));
                }
                sound.remove(name);
                if (damage.size() == before) {
                    sound.put(name, content);
                }
            }
        });
        return damage;
    }

    private static Path withoutSuffix(Path file) {
        String name = file.getFileName().toString();
        return file.resolveSibling(name.substring(0, name.lastIndexOf('.')));
    }

    /** Combines two checksums of names and bytes. */
    private static long content(List<Path> ofSegment) {
        CRC32 crc = new CRC32();
        CRC32C crc32c = new CRC32C();
        try {
            for (Path file : ofSegment) {
                for (byte[] part : List.of(
                        file.getFileName().toString().getBytes(StandardCharsets.UTF_8), Files.readAllBytes(file))) {
                    crc.update(part);
                    crc32c.update(part);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + ofSegment, e);
        }
        return crc.getValue() << 32 | crc32c.getValue();
    }

    private List<String> ask(Path file) {
        try {
            return reader.submit(() -> answer(file)).get(Patience.ms(PATIENCE_S * 1_000), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FaultFailure("interrupted");
        } catch (ExecutionException | TimeoutException e) {
            throw new FaultFailure("DumpLogSegments did not answer for " + file + ": " + e, e);
        }
    }

    private List<String> answer(Path file) throws IOException {
        paths.write(file + "\n");
        paths.flush();
        List<String> lines = new ArrayList<>();
        for (String line = answers.readLine(); ; line = answers.readLine()) {
            if (line == null) {
                throw new IOException("it ended");
            }
            if (line.startsWith(DumpMain.DONE)) {
                files++;
                batches += Long.parseLong(line.substring(DumpMain.DONE.length()));
                return lines;
            }
            lines.add(line);
        }
    }

    private static List<Path> filesIn(Path logDirectory) {
        try (Stream<Path> all = Files.walk(logDirectory, 2)) {
            return all.filter(file ->
                            SUFFIXES.stream().anyMatch(file.getFileName().toString()::endsWith))
                    .filter(Files::isRegularFile)
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list " + logDirectory, e);
        }
    }

    /** Returns the number of inspected files. */
    long files() {
        return files;
    }

    /** Returns the number of batches that the tool iterated over. */
    public long batches() {
        return batches;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        reader.shutdownNow();
    }
}
