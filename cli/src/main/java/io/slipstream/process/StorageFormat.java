// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.Uuid;

/**
 * Formats a broker's log directory. The first time in a checkout it runs Kafka's tool in its own JVM; later it copies
 * the tool's output and inserts the broker's ids. Leaves a formatted directory unchanged.
 */
public final class StorageFormat {
    private static final Duration PATIENCE = Patience.ofSeconds(60);
    private static final String IDENTITY = "meta.properties";

    private StorageFormat() {}

    /** Formats for a broker with its metadata in this single log directory and no feature levels in its properties. */
    static void formatAsUsual(
            BrokerLine line, Path serverProperties, String clusterId, int nodeId, Path logDirectory, Path directory) {
        Path formatted = Checkout.root().resolve("integration-tests/target/formatted/kafka-" + line.number());
        try {
            if (Files.exists(logDirectory.resolve(IDENTITY))) {
                return;
            }
            if (!Files.isDirectory(formatted)) {
                format(line.classPath(), serverProperties, clusterId, List.of(), directory);
                keep(logDirectory, formatted);
                return;
            }
            copy(formatted, logDirectory);
            String identity = "version=1\nnode.id=" + nodeId + "\ncluster.id=" + clusterId + "\ndirectory.id="
                    + Uuid.randomUuid() + "\n";
            Files.writeString(logDirectory.resolve(IDENTITY), identity);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot format " + logDirectory, e);
        }
    }

    /**
     * Formats with Kafka's tool.
     *
     * @param classPath class path of the broker
     * @param scram initial credentials of the cluster, in the form of {@code --add-scram}
     */
    static void format(
            String classPath, Path serverProperties, String clusterId, Iterable<String> scram, Path directory) {
        Path log = directory.resolve("format.log");
        List<String> command = new ArrayList<>(List.of(ChildProcess.java(), "-Xmx128m"));
        command.addAll(JvmProfile.FAST_START.flags());
        command.addAll(List.of("-cp", classPath, "kafka.tools.StorageTool", "format", "--ignore-formatted"));
        command.addAll(List.of("--cluster-id", clusterId, "--config", serverProperties.toString()));
        for (String credential : scram) {
            command.addAll(List.of("--add-scram", credential));
        }
        ChildProcess tool = ChildProcess.start("kafka-storage format", command, directory, log);
        int status = tool.awaitExit(PATIENCE);
        if (status != 0) {
            tool.kill9();
            throw new StartFailure(
                    "kafka-storage format of " + serverProperties + " ended with status " + status + tool.logTail());
        }
    }

    /** The rename is atomic because another JVM may store the same template. */
    private static void keep(Path logDirectory, Path formatted) throws IOException {
        Files.createDirectories(formatted.getParent());
        Path incomplete = Files.createTempDirectory(formatted.getParent(), "incomplete-");
        copy(logDirectory, incomplete);
        try {
            Files.move(incomplete, formatted, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
            TempDirectory.delete(incomplete);
            if (!Files.isDirectory(formatted)) {
                throw e;
            }
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Path copy = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copy);
                } else if (!file.endsWith(IDENTITY)) {
                    Files.copy(file, copy);
                }
            }
        }
    }
}
