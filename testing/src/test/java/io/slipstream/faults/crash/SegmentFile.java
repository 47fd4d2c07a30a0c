// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** Hand-written segments. */
final class SegmentFile {
    private SegmentFile() {}

    /** Returns a batch of one record, as a broker appends it. */
    static byte[] batch(long baseOffset) {
        return batch(baseOffset, "value-" + baseOffset);
    }

    static byte[] batch(long baseOffset, String value) {
        MemoryRecords records = MemoryRecords.withRecords(
                (byte) 2,
                baseOffset,
                Compression.NONE,
                TimestampType.CREATE_TIME,
                new SimpleRecord(1_700_000_000_000L + baseOffset, null, value.getBytes(StandardCharsets.UTF_8)));
        ByteBuffer buffer = records.buffer();
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    /** Appends to the segment that starts at the offset; creates it and its directory if needed. */
    static Path append(Path directory, long firstOffset, byte[]... parts) throws IOException {
        Path file = Files.createDirectories(directory).resolve(String.format("%020d.log", firstOffset));
        for (byte[] part : parts) {
            Files.write(file, part, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
        return file;
    }
}
