// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers.client;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads as a group member until all acknowledged records are read and no more arrive. Confined to one thread. */
final class Reader implements ConsumerRebalanceListener {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration COMMIT_PATIENCE = Duration.ofSeconds(10);
    private static final long COMMIT_EVERY_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long CATCH_UP_PATIENCE_NS = TimeUnit.SECONDS.toNanos(15);

    private final Settings settings;
    private final AcknowledgedEnds ends;
    private final Results results;
    private final long[] readEnds;
    /** Next positions of the current assignment. */
    private final Map<Integer, Long> positions = new HashMap<>();

    private final Map<Integer, Long> committed = new HashMap<>();
    private KafkaConsumer<byte[], byte[]> consumer;
    private long read;

    Reader(Settings settings, AcknowledgedEnds ends) {
        this.settings = settings;
        this.ends = ends;
        results = new Results(settings, "consumer");
        readEnds = new long[settings.partitions()];
    }

    void run(CountDownLatch flushed) {
        connect();
        long lastCommitNs = System.nanoTime();
        long flushedNs = 0;
        while (flushedNs == 0 || ends.behind(readEnds) > 0 && System.nanoTime() - flushedNs < CATCH_UP_PATIENCE_NS) {
            poll();
            if (System.nanoTime() - lastCommitNs >= COMMIT_EVERY_NS) {
                commit();
                lastCommitNs = System.nanoTime();
            }
            if (flushedNs == 0 && flushed.getCount() == 0) {
                flushedNs = System.nanoTime();
            }
        }
        commit();
        consumer.close(CloseOptions.timeout(Duration.ofSeconds(2)));
        results.write("ended", "\"records\":" + read + ",\"unfinished\":" + ends.behind(readEnds));
    }

    private void connect() {
        Map<String, Object> consumer = settings.client();
        consumer.put("group.id", settings.group());
        consumer.put("auto.offset.reset", "earliest");
        consumer.put("enable.auto.commit", false);
        consumer.put("session.timeout.ms", 10_000);
        consumer.put("heartbeat.interval.ms", 1_000);
        this.consumer = new KafkaConsumer<>(consumer, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        this.consumer.subscribe(List.of(settings.topic()), this);
    }

    private void poll() {
        try {
            consumer.poll(POLL).forEach(this::take);
        } catch (KafkaException e) {
            results.trouble(e);
        }
    }

    private void take(ConsumerRecord<byte[], byte[]> record) {
        int partition = record.partition();
        long end = record.offset() + 1;
        Value value = Value.decode(settings, partition, record.value()).orElse(null);
        results.write(
                "read",
                "\"partition\":" + partition + ",\"offset\":" + record.offset() + ",\"run\":"
                        + (value == null ? -1 : value.run()) + ",\"sequence\":"
                        + (value == null ? -1 : value.sequence())
                        + ",\"intact\":" + (value != null));
        read++;
        positions.put(partition, end);
        readEnds[partition] = Math.max(readEnds[partition], end);
    }

    private void commit() {
        Map<Integer, Long> moved = new HashMap<>(positions);
        moved.entrySet().removeAll(committed.entrySet());
        if (moved.isEmpty()) {
            return;
        }
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        moved.forEach((partition, offset) ->
                offsets.put(new TopicPartition(settings.topic(), partition), new OffsetAndMetadata(offset)));
        String what = "\"since\":" + System.currentTimeMillis() + ",\"offsets\":" + Results.offsets(moved);
        try {
            consumer.commitSync(offsets, COMMIT_PATIENCE);
            results.write("committed", what + ",\"outcome\":\"ok\"");
            committed.putAll(moved);
        } catch (KafkaException e) {
            results.write("committed", what + ",\"outcome\":\"unknown\"," + Results.error(e));
        }
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        if (!partitions.isEmpty()) {
            results.write("assigned", "\"partitions\":" + numbers(partitions));
        }
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        if (!partitions.isEmpty()) {
            commit();
            onPartitionsLost(partitions);
        }
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        results.write("revoked", "\"partitions\":" + numbers(partitions));
        for (TopicPartition partition : partitions) {
            positions.remove(partition.partition());
            committed.remove(partition.partition());
        }
    }

    private static List<Integer> numbers(Collection<TopicPartition> partitions) {
        return partitions.stream().map(TopicPartition::partition).sorted().toList();
    }

    Results results() {
        return results;
    }
}
