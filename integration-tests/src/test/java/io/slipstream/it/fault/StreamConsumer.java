// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.fault;

import io.slipstream.process.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A stock consumer on its own thread that reads partition 0 from its start and records what it reads in order. */
final class StreamConsumer implements AutoCloseable {
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final List<Seen> seen = new ArrayList<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final String name;
    private final Thread thread;
    private volatile boolean stopped;

    /** One record as it was read. */
    record Seen(long offset, StreamedValue value) {}

    StreamConsumer(String bootstrap, String topic, String name) {
        this.name = name;
        consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrap,
                        ConsumerConfig.CLIENT_ID_CONFIG,
                        name,
                        // A position out of range is a bug here and must not be skipped.
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        "none",
                        ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                        Patience.ms(5_000),
                        ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                        Patience.ms(90_000),
                        ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                        500),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        TopicPartition partition = new TopicPartition(topic, 0);
        consumer.assign(List.of(partition));
        consumer.seek(partition, 0);
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    StreamConsumer start() {
        thread.start();
        return this;
    }

    private void run() {
        try {
            while (!stopped) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    Seen one = new Seen(record.offset(), StreamedValue.decode(record.value()));
                    synchronized (seen) {
                        seen.add(one);
                    }
                }
            }
        } catch (RuntimeException | AssertionError e) {
            failure.compareAndSet(null, e);
        } finally {
            consumer.close(CloseOptions.timeout(Duration.ofSeconds(1)));
        }
    }

    String name() {
        return name;
    }

    int count() {
        synchronized (seen) {
            return seen.size();
        }
    }

    List<Seen> seen() {
        synchronized (seen) {
            return List.copyOf(seen);
        }
    }

    Throwable failure() {
        return failure.get();
    }

    @Override
    public void close() {
        stopped = true;
        try {
            thread.join(10_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
