// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;

/**
 * Iterates over the batches of a segment file by their headers, {@code baseOffset i64 | length i32 | …}, and reads each
 * whole. Ends where no batch can start: at a length of zero or less, or beyond the file. It reads the file without
 * mapping it, so that concurrent truncation is harmless.
 */
public final class SegmentWalk {
    private static final int OFFSET_AND_LENGTH_BYTES = 12;
    private static final int LEAST_LENGTH_BYTES = 49;
    private static final int MOST_LENGTH_BYTES = 64 << 20;

    /** One batch: its bytes in the file, and Kafka's view of them. */
    public record Batch(ByteBuffer bytes, MutableRecordBatch batch) {}

    private SegmentWalk() {}

    public static void walk(Path segment, Consumer<Batch> visitor) throws IOException {
        try (FileChannel file = FileChannel.open(segment, StandardOpenOption.READ)) {
            long position = 0;
            ByteBuffer header = ByteBuffer.allocate(OFFSET_AND_LENGTH_BYTES);
            while (readFully(file, header.clear(), position)) {
                int length = header.getInt(Long.BYTES);
                if (length < LEAST_LENGTH_BYTES || length > MOST_LENGTH_BYTES) {
                    return;
                }
                ByteBuffer bytes = ByteBuffer.allocate(OFFSET_AND_LENGTH_BYTES + length);
                if (!readFully(file, bytes, position)) {
                    return;
                }
                MutableRecordBatch batch = MemoryRecords.readableRecords(bytes.duplicate())
                        .batches()
                        .iterator()
                        .next();
                visitor.accept(new Batch(bytes, batch));
                position += bytes.capacity();
            }
        }
    }

    private static boolean readFully(FileChannel file, ByteBuffer bytes, long position) throws IOException {
        while (bytes.hasRemaining()) {
            int read = file.read(bytes, position + bytes.position());
            if (read <= 0) {
                return false;
            }
        }
        bytes.flip();
        return true;
    }
}
