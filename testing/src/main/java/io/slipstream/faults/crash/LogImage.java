// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import io.slipstream.workload.SegmentWalk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The on-disk log of one partition: the whole batches of each segment up to the first torn one, and the bytes beyond.
 * Immutable.
 *
 * @param batches base offset and checksum of each batch, in order
 * @param beyondBytes bytes after the last valid batch of each segment
 */
record LogImage(List<Batch> batches, int segments, long beyondBytes) {
    private static final String SEGMENT_SUFFIX = ".log";

    record Batch(long baseOffset, int sizeBytes, long crc) {}

    LogImage {
        batches = List.copyOf(batches);
    }

    /** Reads the files, which must have no writer. */
    static LogImage of(Path directory) {
        List<Batch> batches = new ArrayList<>();
        long beyond = 0;
        int segments = 0;
        try {
            for (Path segment : segments(directory)) {
                segments++;
                beyond += Files.size(segment) - valid(segment, batches);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + directory, e);
        }
        return new LogImage(batches, segments, beyond);
    }

    private static List<Path> segments(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(SEGMENT_SUFFIX))
                    .sorted()
                    .toList();
        }
    }

    /** Adds the batches of a segment up to the first invalid one. Returns their end position. */
    private static long valid(Path segment, List<Batch> batches) throws IOException {
        long[] end = {0};
        boolean[] torn = {false};
        SegmentWalk.walk(segment, found -> {
            torn[0] |= !found.batch().isValid();
            if (!torn[0]) {
                int size = found.bytes().capacity();
                batches.add(new Batch(
                        found.batch().baseOffset(), size, found.batch().checksum()));
                end[0] += size;
            }
        });
        return end[0];
    }

    /**
     * Returns differences between the recovered log and the expected one, which has all valid batches and nothing
     * beyond. Empty if equal.
     */
    List<String> differences(LogImage recovered) {
        List<String> differences = new ArrayList<>();
        int common = Math.min(batches.size(), recovered.batches.size());
        for (int i = 0; i < common; i++) {
            if (!batches.get(i).equals(recovered.batches.get(i))) {
                differences.add("batch " + i + " was " + batches.get(i) + " and is " + recovered.batches.get(i));
                return differences;
            }
        }
        if (batches.size() != recovered.batches.size()) {
            differences.add("it had " + batches.size() + " whole batches and has " + recovered.batches.size());
        }
        if (recovered.beyondBytes > 0) {
            differences.add(recovered.beyondBytes + " bytes are left beyond the last batch of a segment");
        }
        return differences;
    }
}
