// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import io.slipstream.protocol.control.AbortedTransaction;
import io.slipstream.protocol.slot.SlotLayout;
import io.slipstream.protocol.slot.SlotWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;

/**
 * A partition's log at the peer: real batches in real segment files, published in one slot. Confined to the peer's
 * thread.
 */
final class PeerLog {
    static final int LEADER_EPOCH = 4;

    final int slot;
    private final Path directory;
    private final List<Segment> segments = new ArrayList<>();
    private final List<Batch> batches = new ArrayList<>();
    int generation = 1;
    int flags;
    long endOffset;
    long highWatermark;
    long lastStableOffset = Long.MAX_VALUE;
    long logStartOffset;
    int abortedCount;
    /**
     * The answers to ListAborted, and the offset up to which they are complete: the last stable offset unless a test
     * limits it.
     */
    final List<AbortedTransaction> aborted = new ArrayList<>();

    long abortedCompleteTo = Long.MAX_VALUE;
    int abortedCompleteToBytes = Integer.MAX_VALUE;
    boolean abortedWhole = true;

    static final class Segment {
        final long baseOffset;
        final Path file;
        int sizeBytes;
        boolean sealed;
        int rkey = -1;

        Segment(long baseOffset, Path file) {
            this.baseOffset = baseOffset;
            this.file = file;
        }
    }

    record Batch(long baseOffset, long lastOffset, Segment segment, int position, byte[] bytes) {}

    /** Leader epoch of the batches that are appended next. */
    int batchEpoch = LEADER_EPOCH;

    PeerLog(int slot, Path directory) {
        this.slot = slot;
        this.directory = directory;
        roll();
    }

    void roll() {
        if (!segments.isEmpty()) {
            active().sealed = true;
        }
        segments.add(new Segment(endOffset, directory.resolve(slot + "-" + endOffset + ".log")));
        write(new byte[0]);
    }

    /** Gives the active segment's file that size, with zeros after what is written. */
    void preallocate(int sizeBytes) {
        try (FileChannel file = FileChannel.open(active().file, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate(1), sizeBytes - 1L);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Segment active() {
        return segments.get(segments.size() - 1);
    }

    /** Appends one batch with one record per value, uncommitted. */
    byte[] append(String... values) {
        SimpleRecord[] records = new SimpleRecord[values.length];
        for (int i = 0; i < values.length; i++) {
            records[i] = new SimpleRecord(1_700_000_000_000L, null, values[i].getBytes(StandardCharsets.UTF_8));
        }
        MemoryRecords batch = MemoryRecords.withRecords(
                RecordBatch.CURRENT_MAGIC_VALUE,
                endOffset,
                Compression.NONE,
                TimestampType.CREATE_TIME,
                RecordBatch.NO_PRODUCER_ID,
                RecordBatch.NO_PRODUCER_EPOCH,
                RecordBatch.NO_SEQUENCE,
                batchEpoch,
                false,
                records);
        byte[] bytes = new byte[batch.sizeInBytes()];
        batch.buffer().get(bytes);
        batches.add(new Batch(endOffset, endOffset + values.length - 1, active(), active().sizeBytes, bytes));
        write(bytes);
        endOffset += values.length;
        return bytes;
    }

    private void write(byte[] bytes) {
        try (FileChannel file = FileChannel.open(active().file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap(bytes), active().sizeBytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        active().sizeBytes += bytes.length;
    }

    /** Replaces the batch of that offset, at the log's end, as after a truncation. */
    void overwrite(long offset, byte value) {
        Batch batch = batchAt(offset);
        int last = batch.bytes().length - 10;
        batch.bytes()[last] = value;
        try (FileChannel file = FileChannel.open(batch.segment().file, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap(new byte[] {value}), batch.position() + last);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void commit() {
        highWatermark = endOffset;
    }

    void publish(SlotWriter slots) {
        Batch next = batchAt(highWatermark);
        Segment segment = next == null ? active() : next.segment();
        int position = next == null ? active().sizeBytes : next.position();
        slots.publish(
                slot,
                flags,
                generation,
                LEADER_EPOCH,
                segment.baseOffset,
                highWatermark,
                position,
                abortedCount,
                stableOffset(),
                logStartOffset);
    }

    long stableOffset() {
        return Math.min(highWatermark, lastStableOffset);
    }

    /** Indexes an aborted transaction; the caller publishes it. */
    void abort(long producerId, long firstOffset, long lastOffset, int listedFromBytes) {
        aborted.add(new AbortedTransaction(producerId, firstOffset, lastOffset, listedFromBytes));
        abortedCount++;
        flags |= SlotLayout.FLAG_ABORTED_TRANSACTIONS;
    }

    /** The batch that contains the offset, or null at the end. */
    Batch batchAt(long offset) {
        return batches.stream()
                .filter(b -> b.lastOffset() >= offset)
                .findFirst()
                .orElse(null);
    }

    List<Batch> batches() {
        return batches;
    }
}
