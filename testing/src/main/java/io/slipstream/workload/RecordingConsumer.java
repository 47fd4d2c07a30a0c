// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import io.slipstream.history.ClientEvent.Assigned;
import io.slipstream.history.ClientEvent.OffsetsCommitted;
import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.ClientEvent.Positioned;
import io.slipstream.history.ClientEvent.Revoked;
import io.slipstream.history.ConsumerKind;
import io.slipstream.history.Outcome;
import io.slipstream.history.RecordRun;
import io.slipstream.history.Recorder;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A stock consumer that records assignments, polls, positions and commits. Confined to one thread. */
final class RecordingConsumer implements AutoCloseable {
    static final Comparator<TopicPartition> BY_NAME =
            Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition);

    private final RecordedRun run;
    private final Recorder recorder;
    private final int id;
    private final String group;
    private final Consumer<byte[], byte[]> consumer;
    /** Next positions, as known from polls and seeks. */
    private final Map<TopicPartition, Long> positions = new HashMap<>();

    RecordingConsumer(
            RecordedRun run, ClientSettings settings, ConsumerKind kind, String group, boolean readCommitted) {
        this(
                run,
                kind,
                group,
                readCommitted,
                new KafkaConsumer<>(
                        settings.consumer(group, readCommitted),
                        new ByteArrayDeserializer(),
                        new ByteArrayDeserializer()));
    }

    /** @param consumer closed with this object */
    RecordingConsumer(
            RecordedRun run,
            ConsumerKind kind,
            String group,
            boolean readCommitted,
            Consumer<byte[], byte[]> consumer) {
        this.run = run;
        this.group = group;
        this.consumer = consumer;
        recorder = run.recorder();
        id = run.declareConsumer(kind, group, readCommitted);
    }

    void assign(Collection<TopicPartition> partitions) {
        consumer.assign(partitions);
        recorder.record(new Assigned(recorder.nowNs(), id, numbers(partitions)));
    }

    void seek(TopicPartition partition, long offset) {
        consumer.seek(partition, offset);
        positioned(partition, offset);
    }

    /** Seeks to the first existing record. */
    void seekToBeginning(Collection<TopicPartition> partitions) {
        consumer.beginningOffsets(partitions).forEach(this::seek);
    }

    private void positioned(TopicPartition partition, long offset) {
        positions.put(partition, offset);
        recorder.record(new Positioned(recorder.nowNs(), id, run.number(partition), offset));
    }

    void subscribe(List<String> topics) {
        consumer.subscribe(topics, new Rebalance());
    }

    /** Returns the records of Kafka's client unchanged. */
    ConsumerRecords<byte[], byte[]> poll(Duration patience) {
        long invokedNs = recorder.nowNs();
        ConsumerRecords<byte[], byte[]> records = consumer.poll(patience);
        long atNs = recorder.nowNs();
        for (TopicPartition partition : records.partitions()) {
            List<ConsumerRecord<byte[], byte[]>> ofPartition = records.records(partition);
            RecordRun.Builder run = new RecordRun.Builder(ofPartition.size());
            ofPartition.forEach(record -> add(run, record));
            OffsetAndMetadata next = records.nextOffsets().get(partition);
            long after = next != null
                    ? next.offset()
                    : ofPartition.get(ofPartition.size() - 1).offset() + 1;
            Long before = positions.put(partition, after);
            recorder.record(new Polled(
                    invokedNs, atNs, id, this.run.number(partition), before == null ? -1 : before, after, run.build()));
        }
        return records;
    }

    /**
     * Polls with a client that fetches one batch at a time and returns all of it. Such a client requests the next batch
     * during the poll that returns this one, so its position is recorded as of this poll's begin.
     */
    void pollOneBatch(Duration patience) {
        long invokedNs = recorder.nowNs();
        for (TopicPartition partition : poll(patience).partitions()) {
            recorder.record(new Positioned(invokedNs, id, run.number(partition), positions.get(partition)));
        }
    }

    private void add(RecordRun.Builder records, ConsumerRecord<byte[], byte[]> record) {
        run.add(
                records,
                record.offset(),
                record.leaderEpoch().orElse(-1),
                record.key(),
                record.value(),
                record.headers(),
                record.timestampType(),
                record.timestamp());
    }

    /** Commits the polled offsets. A failed commit may have succeeded. */
    void commit() {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        consumer.assignment().stream()
                .filter(positions::containsKey)
                .sorted(BY_NAME)
                .forEach(partition -> offsets.put(partition, new OffsetAndMetadata(positions.get(partition))));
        if (offsets.isEmpty()) {
            return;
        }
        int[] partitions = numbers(offsets.keySet());
        long[] values = offsets.keySet().stream()
                .sorted(BY_NAME)
                .mapToLong(key -> offsets.get(key).offset())
                .toArray();
        long invokedNs = recorder.nowNs();
        Outcome outcome = Outcome.UNKNOWN;
        String error = "";
        try {
            consumer.commitSync(offsets);
            outcome = Outcome.OK;
        } catch (KafkaException e) {
            error = RecordingProducer.nameOf(e);
            throw e;
        } finally {
            recorder.record(
                    new OffsetsCommitted(invokedNs, recorder.nowNs(), id, group, partitions, values, outcome, error));
        }
    }

    private int[] numbers(Collection<TopicPartition> partitions) {
        return partitions.stream().sorted(BY_NAME).mapToInt(run::number).toArray();
    }

    Map<TopicPartition, Long> positions() {
        return Map.copyOf(positions);
    }

    /** Asks the client instead of the recorded state. */
    long position(TopicPartition partition) {
        return consumer.position(partition);
    }

    Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions) {
        return consumer.committed(partitions);
    }

    ConsumerGroupMetadata groupMetadata() {
        return consumer.groupMetadata();
    }

    @Override
    public void close() {
        consumer.close(CloseOptions.timeout(Duration.ofSeconds(1)));
    }

    private final class Rebalance implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            if (partitions.isEmpty()) {
                return;
            }
            recorder.record(new Assigned(recorder.nowNs(), id, numbers(partitions)));
            partitions.forEach(partition -> positioned(partition, consumer.position(partition)));
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            if (!partitions.isEmpty()) {
                partitions.forEach(positions::remove);
                recorder.record(new Revoked(recorder.nowNs(), id, numbers(partitions)));
            }
        }
    }
}
