// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.alerts;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Stock clients that work until closed. It ignores failures of their requests, which other tests check. */
final class Load implements AutoCloseable {
    private static final Duration CLOSE_PATIENCE = Duration.ofMillis(500);

    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopped;

    /** A client's loop; ends when {@link #stopped}. */
    @FunctionalInterface
    private interface Work {
        void run() throws Exception;
    }

    private Load start(String name, Work work) {
        Thread thread = new Thread(
                () -> {
                    while (!stopped) {
                        try {
                            work.run();
                        } catch (KafkaException retried) {
                            pause(200);
                        } catch (Exception e) {
                            return;
                        }
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
        threads.add(thread);
        return this;
    }

    /** Sends one record per request, to several partitions in turn. */
    Load produce(String bootstrap, String topic, int partitions, int valueBytes, int perSecond) {
        Map<String, Object> settings = Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap,
                ProducerConfig.CLIENT_ID_CONFIG, topic + "-producer",
                ProducerConfig.LINGER_MS_CONFIG, 0,
                ProducerConfig.BATCH_SIZE_CONFIG, 0,
                ProducerConfig.MAX_BLOCK_MS_CONFIG, 2_000,
                ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 200);
        return start("produce-" + topic, () -> {
            try (Closing<KafkaProducer<byte[], byte[]>> producer = new Closing<>(
                    new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer()))) {
                for (int i = 0; !stopped; i++) {
                    producer.client.send(new ProducerRecord<>(topic, i % partitions, null, new byte[valueBytes]));
                    pause(1000 / perSecond);
                }
            }
        });
    }

    /** @param rewind whether to seek to the beginning after each poll */
    Load consume(String bootstrap, String topic, int partitions, boolean rewind) {
        Map<String, Object> settings = new HashMap<>(Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrap,
                ConsumerConfig.CLIENT_ID_CONFIG,
                topic + "-consumer",
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest",
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false,
                ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                200));
        List<TopicPartition> all = new ArrayList<>();
        for (int i = 0; i < partitions; i++) {
            all.add(new TopicPartition(topic, i));
        }
        return start("consume-" + topic, () -> {
            try (Closing<KafkaConsumer<byte[], byte[]>> consumer = new Closing<>(
                    new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer()))) {
                consumer.client.assign(all);
                while (!stopped) {
                    consumer.client.poll(Duration.ofMillis(100));
                    if (rewind) {
                        consumer.client.seekToBeginning(all);
                    }
                }
            }
        });
    }

    private static void pause(int ms) {
        try {
            TimeUnit.MILLISECONDS.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Closes without waiting for pending requests. */
    private record Closing<C>(C client) implements AutoCloseable {
        @Override
        @SuppressWarnings("deprecation")
        public void close() {
            if (client instanceof KafkaProducer<?, ?> producer) {
                producer.close(CLOSE_PATIENCE);
            } else if (client instanceof KafkaConsumer<?, ?> consumer) {
                consumer.close(CLOSE_PATIENCE);
            }
        }
    }

    @Override
    public void close() {
        stopped = true;
        for (Thread thread : threads) {
            try {
                thread.join(2 * CLOSE_PATIENCE.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
