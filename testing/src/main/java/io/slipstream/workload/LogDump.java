// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import io.slipstream.history.BatchType;
import io.slipstream.history.BrokerEvent.BatchDumped;
import io.slipstream.history.BrokerEvent.LogDumped;
import io.slipstream.history.DumpKind;
import io.slipstream.history.RecordRun;
import io.slipstream.process.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.utils.Utils;

/**
 * Records the logs of all replicas from the brokers' files after writers have stopped. Brokers may run but must be
 * idle.
 */
public final class LogDump {
    private static final String SEGMENT_SUFFIX = ".log";

    private final RecordedRun run;
    private int dumps;

    public LogDump(RecordedRun run) {
        this.run = run;
    }

    /**
     * Records final dumps of all partitions.
     *
     * @param logDirectories log directories of the brokers, by node id
     */
    public void record(ClientSettings direct, Map<Integer, Path> logDirectories) {
        List<TopicPartition> partitions = run.partitions();
        try (Admin admin = Admin.create(direct.common());
                Watermarks watermarks = new Watermarks(direct)) {
            Map<String, TopicDescription> topics = await(admin.describeTopics(partitions.stream()
                            .map(TopicPartition::topic)
                            .distinct()
                            .toList())
                    .allTopicNames());
            Map<TopicPartition, ListOffsetsResultInfo> ends = watermarks.high(partitions);
            Map<TopicPartition, ListOffsetsResultInfo> starts = watermarks.starts(partitions);
            for (TopicPartition partition : partitions) {
                TopicPartitionInfo info =
                        topics.get(partition.topic()).partitions().get(partition.partition());
                for (Node node : info.replicas()) {
                    Path directory = logDirectories.get(node.id()).resolve(partition.toString());
                    long start = starts.get(partition).offset();
                    dump(
                            partition,
                            directory,
                            node.id(),
                            info.isr().contains(node),
                            start,
                            ends.get(partition).offset());
                }
            }
        }
    }

    /**
     * Records logs recovered after a crash. Skips partitions without a directory, which were created later.
     *
     * @param logDirectory log directory of that broker, or a copy of it
     * @param asOfNs time of the broker's death; the log must contain all records acknowledged before and cannot contain
     * records sent later
     */
    public void recordImage(int node, Path logDirectory, long asOfNs) {
        for (TopicPartition partition : run.partitions()) {
            Path directory = logDirectory.resolve(partition.toString());
            if (Files.isDirectory(directory)) {
                List<BatchDumped> batches = batches(dumps, directory);
                write(DumpKind.CRASH_IMAGE, partition, node, true, 0, -1, asOfNs, batches);
            }
        }
    }

    private static <T> T await(KafkaFuture<T> future) {
        try {
            return future.get(Patience.ms(60_000), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while topics were described", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("cannot describe the topics to be dumped", e);
        }
    }

    private void dump(
            TopicPartition partition, Path directory, int node, boolean inSync, long logStart, long highWatermark) {
        List<BatchDumped> batches = batches(dumps, directory);
        write(
                DumpKind.FINAL,
                partition,
                node,
                inSync,
                logStart,
                highWatermark,
                run.recorder().nowNs(),
                batches);
    }

    private List<BatchDumped> batches(int dump, Path directory) {
        List<BatchDumped> batches = new ArrayList<>();
        try {
            for (Path segment : segments(directory)) {
                SegmentWalk.walk(segment, batch -> batches.add(event(dump, batch)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot dump " + directory, e);
        }
        return batches;
    }

    private void write(
            DumpKind kind,
            TopicPartition partition,
            int node,
            boolean inSync,
            long logStart,
            long highWatermark,
            long asOfNs,
            List<BatchDumped> batches) {
        long end =
                batches.isEmpty() ? logStart : batches.get(batches.size() - 1).lastOffset() + 1;
        // Deletion removes whole segments, so the first one may hold records below the log start.
        batches.removeIf(batch -> batch.lastOffset() < logStart);
        run.recorder()
                .record(new LogDumped(
                        dumps++, kind, run.number(partition), node, inSync, logStart, highWatermark, end, asOfNs));
        batches.forEach(run.recorder()::record);
    }

    private static List<Path> segments(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(SEGMENT_SUFFIX))
                    .sorted()
                    .toList();
        }
    }

    private BatchDumped event(int dump, SegmentWalk.Batch found) {
        MutableRecordBatch batch = found.batch();
        boolean valid = batch.isValid();
        return new BatchDumped(
                dump,
                batch.baseOffset(),
                batch.lastOffset(),
                batch.partitionLeaderEpoch(),
                batch.producerId(),
                batch.producerEpoch(),
                batch.baseSequence(),
                valid ? type(batch) : BatchType.DATA,
                valid,
                hash(found.bytes()),
                valid && !batch.isControlBatch() ? records(batch) : RecordRun.EMPTY);
    }

    private static BatchType type(MutableRecordBatch batch) {
        if (!batch.isControlBatch()) {
            return batch.isTransactional() ? BatchType.TRANSACTIONAL : BatchType.DATA;
        }
        ControlRecordType type = ControlRecordType.parse(batch.iterator().next().key());
        return type == ControlRecordType.COMMIT
                ? BatchType.COMMIT_MARKER
                : type == ControlRecordType.ABORT ? BatchType.ABORT_MARKER : BatchType.OTHER_CONTROL;
    }

    private RecordRun records(MutableRecordBatch batch) {
        RecordRun.Builder records = new RecordRun.Builder(16);
        TimestampType type = batch.timestampType();
        try {
            for (Record record : batch) {
                run.add(
                        records,
                        record.offset(),
                        batch.partitionLeaderEpoch(),
                        bytes(record.key()),
                        bytes(record.value()),
                        List.of(record.headers()),
                        type,
                        record.timestamp());
            }
        } catch (KafkaException e) {
            throw new IllegalStateException(
                    "the check sum of the batch at " + batch.baseOffset() + " is right, its content is not", e);
        }
        return records.build();
    }

    private static byte[] bytes(ByteBuffer buffer) {
        return buffer == null ? null : Utils.toArray(buffer);
    }

    /** Combines two checksums of all bytes. */
    private static long hash(ByteBuffer bytes) {
        CRC32C low = new CRC32C();
        low.update(bytes.duplicate());
        CRC32 high = new CRC32();
        high.update(bytes.duplicate());
        return high.getValue() << 32 | low.getValue();
    }
}
