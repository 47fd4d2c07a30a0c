// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.harness.raw.RawTopics;
import io.slipstream.process.Patience;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Producers and consumers on one partition, and the final check of their records. A new consumer reads the log directly
 * from the broker, and the check compares:
 *
 * <ul>
 *   <li>Every acknowledged record is in the log once, at the acknowledged offset.
 *   <li>Records whose sends failed are in the log at most once. No other record is in it.
 *   <li>Each producer's records are in send order.
 *   <li>Every consumer received exactly the log, in order, without gap or repetition.
 * </ul>
 */
final class RecordStream implements AutoCloseable {
    private static final Duration PATIENCE = Patience.ofSeconds(100);

    private final String direct;
    private final String topic;
    private final long id;
    private final List<StreamProducer> producers = new ArrayList<>();
    private final List<StreamConsumer> consumers = new ArrayList<>();

    /** Creates the topic directly at the broker. Configuration: key, value, key, value … */
    RecordStream(String directBootstrap, String name, Random random, String... configuration) throws IOException {
        direct = directBootstrap;
        id = random.nextLong();
        try (RawTopics topics = new RawTopics(directBootstrap)) {
            topic = topics.create(name, 1, configuration).name();
        }
    }

    String topic() {
        return topic;
    }

    StreamProducer produce(String bootstrap, int count) {
        return produce(StreamProducer.Kind.IDEMPOTENT, bootstrap, count);
    }

    StreamProducer produce(StreamProducer.Kind kind, String bootstrap, int count) {
        StreamProducer producer = new StreamProducer(kind, bootstrap, topic, id, producers.size(), count);
        producers.add(producer);
        return producer.start();
    }

    /** Returns whether each record of each producer was acknowledged or failed. */
    boolean isProduced() {
        return producers.stream().allMatch(StreamProducer::isDone);
    }

    StreamConsumer consume(String bootstrap) {
        StreamConsumer consumer = new StreamConsumer(bootstrap, topic, "consumer-" + consumers.size());
        consumers.add(consumer);
        return consumer.start();
    }

    /** Waits until at least that share of all records is acknowledged. Tests then inject a fault. */
    void awaitAcknowledged(double share) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(2)).until(() -> {
            failFast();
            return producers.stream().mapToInt(StreamProducer::acknowledged).sum() >= share * total();
        });
    }

    /** Waits until at least that many records have reached each consumer. */
    void awaitConsumed(int count) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(2)).until(() -> {
            failFast();
            return consumers.stream().allMatch(consumer -> consumer.count() >= count);
        });
    }

    /** Waits for all records, of which none may fail, and compares them with the broker's log. */
    void verify() {
        verify(0);
    }

    /** @param mostFailed most failed sends of producers that do not retry */
    void verify(int mostFailed) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> {
            failFast();
            return isProduced();
        });
        assertThat(producers.stream().mapToInt(StreamProducer::failed).sum())
                .as("failed sends")
                .isLessThanOrEqualTo(mostFailed);
        StreamConsumer log = consume(direct);
        long end = endOffset();
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> {
            failFast();
            return consumers.stream().allMatch(consumer -> consumer.count() >= end);
        });
        verifyLog(log.seen());
        for (StreamConsumer consumer : consumers) {
            consumer.close(); // also checks the records of its last poll
            failFast();
            assertThat(consumer.seen()).as(consumer.name()).isEqualTo(log.seen());
        }
    }

    private void verifyLog(List<StreamConsumer.Seen> log) {
        int[] next = new int[producers.size()];
        for (int i = 0; i < log.size(); i++) {
            StreamConsumer.Seen seen = log.get(i);
            StreamedValue value = seen.value();
            assertThat(seen.offset()).as("offset of record %d", i).isEqualTo(i);
            assertThat(value.stream()).as("stream at offset %d", i).isEqualTo(id);
            StreamProducer producer = producers.get(value.producer());
            next[value.producer()] = skipFailed(producer, next[value.producer()], value.sequence());
            assertThat(value.sequence())
                    .as("sequence of producer %d at offset %d", value.producer(), i)
                    .isEqualTo(next[value.producer()]++);
            if (!producer.hasFailed(value.sequence())) {
                assertThat(producer.offsetOf(value.sequence()))
                        .as("acknowledged offset of producer %d sequence %d", value.producer(), value.sequence())
                        .isEqualTo(i);
            }
        }
        for (StreamProducer producer : producers) {
            assertThat(skipFailed(producer, next[producer.id()], producer.count()))
                    .as("records of producer %d that are in the log or failed", producer.id())
                    .isEqualTo(producer.count());
        }
    }

    private long endOffset() {
        TopicPartition partition = new TopicPartition(topic, 0);
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", direct), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            return consumer.endOffsets(List.of(partition), PATIENCE).get(partition);
        }
    }

    /** Returns the first sequence from {@code from} on whose send did not fail; {@code to} if all failed. */
    private static int skipFailed(StreamProducer producer, int from, int to) {
        int next = from;
        while (next < to && producer.hasFailed(next)) {
            next++;
        }
        return next;
    }

    void failFast() {
        for (StreamProducer producer : producers) {
            assertThat(producer.failure()).as("producer %d", producer.id()).isNull();
        }
        for (StreamConsumer consumer : consumers) {
            assertThat(consumer.failure()).as(consumer.name()).isNull();
        }
    }

    private int total() {
        return producers.stream().mapToInt(StreamProducer::count).sum();
    }

    @Override
    public void close() {
        producers.forEach(StreamProducer::close);
        consumers.forEach(StreamConsumer::close);
    }
}
