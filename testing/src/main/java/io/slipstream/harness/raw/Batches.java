// SPDX-License-Identifier: Apache-2.0
package io.slipstream.harness.raw;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;

/**
 * Builds record batches, valid and invalid. Timestamps count from a fixed instant, so that equal arguments give equal
 * bytes.
 */
public final class Batches {
    public static final long FIRST_TIMESTAMP_MS = 1_700_000_000_000L;
    /** Offsets in a v2 batch: length i32 at 8, magic i8 at 16, CRC u32 at 17. */
    private static final int LENGTH_OFFSET = 8;

    private static final int MAGIC_OFFSET = 16;
    private static final int CRC_OFFSET = 17;

    private Batches() {}

    /** Returns one batch with one record per value. */
    public static MemoryRecords of(CompressionType codec, byte[]... values) {
        return MemoryRecords.withRecords(
                RecordBatch.CURRENT_MAGIC_VALUE, Compression.of(codec).build(), records(values));
    }

    public static MemoryRecords of(byte[]... values) {
        return of(CompressionType.NONE, values);
    }

    /** Returns one batch of the given records. */
    public static MemoryRecords ofRecords(CompressionType codec, SimpleRecord... records) {
        return MemoryRecords.withRecords(
                RecordBatch.CURRENT_MAGIC_VALUE, Compression.of(codec).build(), records);
    }

    /** Returns a message set of the format before batches: magic 0, without timestamps, or 1. */
    public static MemoryRecords messageSet(int magic, CompressionType codec, byte[]... values) {
        return MemoryRecords.withRecords((byte) magic, Compression.of(codec).build(), records(values));
    }

    /** One batch of an idempotent producer. */
    public static MemoryRecords idempotent(long producerId, short epoch, int sequence, byte[]... values) {
        return MemoryRecords.withIdempotentRecords(Compression.NONE, producerId, epoch, sequence, records(values));
    }

    /** One batch of an open transaction. */
    public static MemoryRecords transactional(long producerId, short epoch, int sequence, byte[]... values) {
        return MemoryRecords.withTransactionalRecords(Compression.NONE, producerId, epoch, sequence, records(values));
    }

    /** Returns the same bytes with one CRC bit flipped. */
    public static MemoryRecords withWrongCrc(MemoryRecords records) {
        ByteBuffer bytes = copy(records);
        bytes.put(CRC_OFFSET, (byte) (bytes.get(CRC_OFFSET) ^ 1));
        return MemoryRecords.readableRecords(bytes);
    }

    /** Returns the same bytes with another magic. */
    public static MemoryRecords withMagic(MemoryRecords records, int magic) {
        ByteBuffer bytes = copy(records);
        bytes.put(MAGIC_OFFSET, (byte) magic);
        return MemoryRecords.readableRecords(bytes);
    }

    /** Returns the same bytes with a batch length off by {@code delta}. */
    public static MemoryRecords withLengthOffBy(MemoryRecords records, int delta) {
        ByteBuffer bytes = copy(records);
        bytes.putInt(LENGTH_OFFSET, bytes.getInt(LENGTH_OFFSET) + delta);
        return MemoryRecords.readableRecords(bytes);
    }

    /** Returns the first bytes, a truncated batch. */
    public static MemoryRecords cutTo(MemoryRecords records, int sizeBytes) {
        return MemoryRecords.readableRecords(copy(records).limit(sizeBytes));
    }

    /** Returns several concatenated batches, which a Produce request must not contain. */
    public static MemoryRecords concatenated(MemoryRecords... parts) {
        int sizeBytes = 0;
        for (MemoryRecords part : parts) {
            sizeBytes += part.sizeInBytes();
        }
        ByteBuffer bytes = ByteBuffer.allocate(sizeBytes);
        for (MemoryRecords part : parts) {
            bytes.put(part.buffer().duplicate());
        }
        return MemoryRecords.readableRecords(bytes.flip());
    }

    private static ByteBuffer copy(MemoryRecords records) {
        return ByteBuffer.allocate(records.sizeInBytes())
                .put(records.buffer().duplicate())
                .flip();
    }

    private static SimpleRecord[] records(byte[]... values) {
        List<SimpleRecord> records = new ArrayList<>(values.length);
        for (int i = 0; i < values.length; i++) {
            records.add(new SimpleRecord(FIRST_TIMESTAMP_MS + i, null, values[i]));
        }
        return records.toArray(new SimpleRecord[0]);
    }
}
