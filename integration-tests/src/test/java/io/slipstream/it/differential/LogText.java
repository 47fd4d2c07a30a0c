// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.StringJoiner;
import java.util.stream.Stream;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * A partition's on-disk log as text: its segments with their batches as {@link BatchText}, and the number of non-zero
 * bytes after the last batch. Zeros are legal: a broker may preallocate a segment.
 */
final class LogText {
    /** Offset and length, in every batch format. */
    private static final int OVERHEAD_BYTES = 12;

    private static final int LENGTH_OFFSET = 8;

    private LogText() {}

    /** @param log directory of the partition */
    static String of(Path log) throws IOException {
        List<Path> segments;
        try (Stream<Path> files = Files.list(log)) {
            segments = files.filter(file -> file.toString().endsWith(".log"))
                    .sorted()
                    .toList();
        }
        StringJoiner text = new StringJoiner("\n    ");
        for (Path segment : segments) {
            text.add(segment.getFileName() + " " + ofSegment(ByteBuffer.wrap(Files.readAllBytes(segment))));
        }
        return text.toString();
    }

    private static String ofSegment(ByteBuffer bytes) {
        int end = 0;
        while (bytes.limit() - end >= OVERHEAD_BYTES) {
            long batchBytes = OVERHEAD_BYTES + (long) bytes.getInt(end + LENGTH_OFFSET);
            if (batchBytes <= OVERHEAD_BYTES || batchBytes > bytes.limit() - end) {
                break;
            }
            end += (int) batchBytes;
        }
        int strayBytes = 0;
        for (int i = end; i < bytes.limit(); i++) {
            strayBytes += bytes.get(i) == 0 ? 0 : 1;
        }
        MemoryRecords batches =
                MemoryRecords.readableRecords(bytes.duplicate().limit(end).slice());
        return BatchText.of(batches) + ", then " + strayBytes + " stray bytes";
    }
}
