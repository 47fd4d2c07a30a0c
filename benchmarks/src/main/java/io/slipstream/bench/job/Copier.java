// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.job;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Consumes, transforms and produces in transactions of some records, each with the offsets that it consumed. */
public final class Copier {
    private static final Duration POLL = Duration.ofSeconds(1);

    private Copier() {}

    public static void main(String[] arguments) throws Exception {
        JobArguments job = JobArguments.of(arguments);
        Stopwatch watch = new Stopwatch(job);
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(job);
                KafkaProducer<byte[], byte[]> producer = producer(job)) {
            producer.initTransactions();
            consumer.subscribe(List.of(job.from()));
            while (!watch.isDone()) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(POLL);
                if (records.isEmpty()) {
                    continue;
                }
                producer.beginTransaction();
                for (ConsumerRecord<byte[], byte[]> record : records) {
                    producer.send(new ProducerRecord<>(job.to(), transformed(record.value())));
                }
                producer.sendOffsetsToTransaction(records.nextOffsets(), consumer.groupMetadata());
                producer.commitTransaction();
                for (int i = records.count(); i > 0; i--) {
                    watch.count();
                }
            }
        }
        watch.print("copied");
    }

    private static byte[] transformed(byte[] value) {
        byte[] changed = value.clone();
        changed[0]++;
        return changed;
    }

    private static KafkaConsumer<byte[], byte[]> consumer(JobArguments job) {
        return new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        job.servers(),
                        ConsumerConfig.GROUP_ID_CONFIG,
                        job.id(),
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        "earliest",
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                        false,
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                        "read_committed",
                        ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                        job.number("--transaction-records")),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    private static KafkaProducer<byte[], byte[]> producer(JobArguments job) {
        return new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        job.servers(),
                        ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                        job.id()),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }
}
