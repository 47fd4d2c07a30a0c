// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.process.Deadline;
import io.slipstream.process.MetricSamples;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A stock job that consumes, transforms and produces exactly once: nearly all its requests go by RDMA. */
@ExtendWith(Serving.Extension.class)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class TransactionalCopierIT {
    private static final int RECORDS = 2_000;
    private static final int RECORDS_OF_TRANSACTION = 10;
    private static final int TRANSACTIONS = RECORDS / RECORDS_OF_TRANSACTION;
    private static final String ADDED = "TransactionAdditions,path=local";
    private static final String LEFT_TO_TCP = "TransactionAdditions,path=tcp";
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final List<String> CARRIED =
            List.of("PRODUCE", "FETCH", "TXN_OFFSET_COMMIT", "END_TXN", "OFFSET_FETCH");

    @ParameterizedTest
    @ValueSource(strings = {"classic", "consumer"})
    void shouldRunByRdma(String groupProtocol, Serving serving) throws Exception {
        String from = serving.newTopic("copied-from-" + groupProtocol, 1);
        String to = serving.newTopic("copied-to-" + groupProtocol, 1);
        List<String> values = Delivery.values("copied", RECORDS);
        try (KafkaProducer<String, String> writer = producer(serving, Map.of())) {
            values.forEach(value -> writer.send(new ProducerRecord<>(from, value)));
        }
        MetricSamples before = serving.metrics();
        long addedBefore = serving.pluginGauge(ADDED);
        long leftBefore = serving.pluginGauge(LEFT_TO_TCP);
        copy(serving, groupProtocol, from, to);
        MetricSamples after = serving.metrics();

        assertThat(read(serving, to, RECORDS)).isEqualTo(values);
        RequestShares shares = RequestShares.between(before, after);
        shares.assertByRdma(CARRIED);
        // Each transaction adds a partition of the topic, and one of the consumers' offsets.
        long added = serving.pluginGauge(ADDED) - addedBefore;
        long left = serving.pluginGauge(LEFT_TO_TCP) - leftBefore;
        assertThat(added + left).as("additions of partitions").isGreaterThanOrEqualTo(2 * TRANSACTIONS);
        assertThat(added).as("of these, by the broker's own coordinator").isGreaterThan(left);
    }

    private static void copy(Serving serving, String groupProtocol, String from, String to) {
        Map<String, Object> transactional = Map.of(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "copier-" + from);
        Map<String, Object> group = Map.of(
                ConsumerConfig.GROUP_ID_CONFIG,
                "copiers-of-" + from,
                ConsumerConfig.GROUP_PROTOCOL_CONFIG,
                groupProtocol,
                ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                RECORDS_OF_TRANSACTION);
        try (KafkaProducer<String, String> producer = producer(serving, transactional);
                KafkaConsumer<String, String> consumer = consumer(serving, group)) {
            producer.initTransactions();
            consumer.subscribe(List.of(from));
            Deadline deadline = Deadline.after(PATIENCE);
            int copied = 0;
            while (copied < RECORDS && !deadline.isOver()) {
                ConsumerRecords<String, String> records = consumer.poll(POLL);
                if (!records.isEmpty()) {
                    producer.beginTransaction();
                    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
                    for (ConsumerRecord<String, String> record : records) {
                        producer.send(new ProducerRecord<>(to, record.value()));
                        offsets.put(
                                new TopicPartition(record.topic(), record.partition()),
                                new OffsetAndMetadata(record.offset() + 1));
                    }
                    producer.sendOffsetsToTransaction(offsets, consumer.groupMetadata());
                    producer.commitTransaction();
                    copied += records.count();
                }
            }
            assertThat(copied).as("records copied in time").isEqualTo(RECORDS);
        }
    }

    /** Reads so many committed records of partition 0. */
    static List<String> read(Serving serving, String topic, int count) {
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = consumer(serving, Map.of())) {
            TopicPartition partition = new TopicPartition(topic, 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            Deadline deadline = Deadline.after(PATIENCE);
            while (values.size() < count && !deadline.isOver()) {
                consumer.poll(POLL).forEach(record -> values.add(record.value()));
            }
        }
        return values;
    }

    private static KafkaProducer<String, String> producer(Serving serving, Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>(more);
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, serving.proxyBootstrap());
        return new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
    }

    private static KafkaConsumer<String, String> consumer(Serving serving, Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>(more);
        settings.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, serving.proxyBootstrap());
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        return new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    }
}
