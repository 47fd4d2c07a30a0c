// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers.workload;

import io.slipstream.process.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads whole topics with its own stock consumer, directly from the brokers. */
final class LogReader {
    private static final Duration POLL = Duration.ofMillis(100);

    private LogReader() {}

    /**
     * Reads from the beginning to the current end.
     *
     * @param brokers bootstrap servers, not a proxy
     */
    static List<LoggedRecord> readAll(String brokers, Collection<String> topics, Duration patience) {
        Deadline deadline = Deadline.after(patience);
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                settings(brokers, patience), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = topics.stream()
                    .flatMap(topic -> consumer.partitionsFor(topic).stream())
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList();
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            List<LoggedRecord> records = new ArrayList<>();
            List<TopicPartition> behind = new ArrayList<>(partitions);
            while (!behind.isEmpty()) {
                consumer.poll(POLL)
                        .forEach(record -> records.add(
                                new LoggedRecord(record.topic(), record.partition(), record.offset(), record.value())));
                behind.removeIf(partition -> consumer.position(partition) >= ends.get(partition));
                if (deadline.isOver() && !behind.isEmpty()) {
                    throw new IllegalStateException(
                            "could not read all of " + behind + " within " + patience + "; their ends are " + ends);
                }
            }
            return records;
        }
    }

    private static Map<String, Object> settings(String brokers, Duration patience) {
        Map<String, Object> settings = new HashMap<>();
        settings.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, brokers);
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        settings.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) patience.toMillis());
        return settings;
    }
}
