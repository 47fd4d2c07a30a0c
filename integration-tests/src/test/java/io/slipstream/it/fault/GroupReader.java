// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.fault;

import io.slipstream.process.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The only member of a consumer group, on its own thread. It reads a topic of one partition from its start and records
 * offsets in read order.
 */
final class GroupReader implements AutoCloseable {
    private final List<Long> offsets = new ArrayList<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Thread thread;
    private volatile boolean stopped;

    GroupReader(String bootstrap, String topic) {
        consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrap,
                        ConsumerConfig.GROUP_ID_CONFIG,
                        topic + "-group",
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        "earliest",
                        ConsumerConfig.AUTO_COMMIT_INTERVAL_MS_CONFIG,
                        500,
                        ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                        Patience.ms(90_000),
                        ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                        500),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        consumer.subscribe(List.of(topic));
        thread = new Thread(this::run, topic + "-group");
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            while (!stopped) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    StreamedValue.decode(record.value());
                    synchronized (offsets) {
                        offsets.add(record.offset());
                    }
                }
            }
        } catch (RuntimeException | AssertionError e) {
            failure.compareAndSet(null, e);
        } finally {
            consumer.close();
        }
    }

    /** Returns the offsets read so far. */
    List<Long> offsets() {
        synchronized (offsets) {
            return List.copyOf(offsets);
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
