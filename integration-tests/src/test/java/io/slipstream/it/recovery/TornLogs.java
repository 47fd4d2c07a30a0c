// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.recovery;

import io.slipstream.workload.SegmentWalk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A copy of a stopped broker's log directory. Gives the parts on which brokers with the same initial files must agree.
 */
final class TornLogs {
    static final String METADATA = "__cluster_metadata-0";
    private static final String SEGMENT_SUFFIX = ".log";
    private static final int LAST_BYTE_OF_CRC = 20;

    private final Path directory;
    private final String topicDirectory;
    private final long metadataTornAt;

    TornLogs(Path directory, String topicDirectory, long metadataTornAt) {
        this.directory = directory;
        this.topicDirectory = topicDirectory;
        this.metadataTornAt = metadataTornAt;
    }

    /**
     * Appends a whole batch with a wrong checksum and half a batch to the last segment, as a crash may. Returns the
     * previous size.
     */
    static long tear(Path log) throws IOException {
        Path segment = segments(log).get(segments(log).size() - 1);
        ByteBuffer[] last = new ByteBuffer[1];
        long[] nextOffset = new long[1];
        long[] end = new long[1];
        SegmentWalk.walk(segment, found -> {
            last[0] = found.bytes();
            nextOffset[0] = found.batch().nextOffset();
            end[0] += found.bytes().capacity();
        });
        byte[] whole = last[0].array().clone();
        ByteBuffer.wrap(whole).putLong(0, nextOffset[0]);
        whole[LAST_BYTE_OF_CRC] ^= 1;
        // A metadata segment may have preallocated bytes after its end.
        Files.write(segment, Arrays.copyOf(Files.readAllBytes(segment), (int) end[0]));
        Files.write(segment, whole, StandardOpenOption.APPEND);
        Files.write(segment, Arrays.copyOf(whole, whole.length / 2), StandardOpenOption.APPEND);
        return end[0];
    }

    static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Path copy = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copy);
                } else {
                    Files.copy(file, copy);
                }
            }
        }
    }

    private static List<Path> segments(Path log) throws IOException {
        return files(log)
                .filter(file -> file.toString().endsWith(SEGMENT_SUFFIX))
                .toList();
    }

    private static Stream<Path> files(Path of) throws IOException {
        try (Stream<Path> files = Files.list(of)) {
            return files.sorted().toList().stream();
        }
    }

    List<String> segments() throws IOException {
        return segments(directory.resolve(topicDirectory)).stream()
                .map(file -> file.getFileName().toString())
                .toList();
    }

    /** Returns sizes and digests of the topic's files by name: segments, indexes, producer state, leader epochs, id. */
    Map<String, String> topicFiles() throws IOException {
        Map<String, String> files = new TreeMap<>();
        for (Path file : files(directory.resolve(topicDirectory)).toList()) {
            files.put(file.getFileName().toString(), digest(Files.readAllBytes(file)));
        }
        return files;
    }

    /** Returns the topic's lines in the directory's checkpoints, by file. */
    Map<String, List<String>> checkpoints() throws IOException {
        Map<String, List<String>> lines = new TreeMap<>();
        String topic = topicDirectory.substring(0, topicDirectory.lastIndexOf('-')) + " ";
        for (Path file : files(directory).filter(Files::isRegularFile).toList()) {
            if (file.toString().endsWith("-checkpoint")) {
                lines.put(
                        file.getFileName().toString(),
                        Files.readAllLines(file).stream()
                                .filter(line -> line.startsWith(topic))
                                .toList());
            }
        }
        return lines;
    }

    /**
     * Returns the names of the metadata log's files, except producer states. Their names contain the end offset, which
     * depends on the uptime of the broker.
     */
    List<String> metadataFiles() throws IOException {
        return files(directory.resolve(METADATA))
                .map(file -> file.getFileName().toString())
                .filter(name -> !name.endsWith(".snapshot"))
                .toList();
    }

    /** Returns size and digest of the bytes before the torn end in the last segment. */
    String wholeMetadata() throws IOException {
        List<Path> segments = segments(directory.resolve(METADATA));
        byte[] bytes = Files.readAllBytes(segments.get(segments.size() - 1));
        return digest(Arrays.copyOf(bytes, (int) metadataTornAt));
    }

    private static String digest(byte[] bytes) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            return bytes.length + " bytes " + HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the start offset of each epoch in the metadata log. The last one is where recovery truncated the log. */
    String metadataEpochs() throws IOException {
        return Files.readString(directory.resolve(METADATA).resolve("leader-epoch-checkpoint"));
    }
}
