// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A stock client that repeatedly writes or reads events of partition 0 until the broker refuses. Besides Produce or
 * Fetch it only needs permission to describe the topic: it uses no idempotence and no group. Confined to one thread.
 */
interface StockClient extends AutoCloseable {
    /**
     * Processes some events and returns their number.
     *
     * @throws org.apache.kafka.common.errors.ApiException the client's error when the broker refuses
     */
    long proceed();

    @Override
    void close();

    /** Kind of client. */
    enum Work {
        PRODUCE("produces") {
            @Override
            StockClient start(Map<String, Object> settings) {
                return new Writer(settings);
            }
        },
        CONSUME("consumes") {
            @Override
            StockClient start(Map<String, Object> settings) {
                return new Reader(settings);
            }
        };

        private final String verb;

        Work(String verb) {
            this.verb = verb;
        }

        /** Returns the verb for reports, as in: intruder produces. */
        String verb() {
            return verb;
        }

        abstract StockClient start(Map<String, Object> settings);

        StockClient start(String bootstrapServers, Map<String, Object> client) {
            Map<String, Object> settings = new HashMap<>(client);
            settings.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
            settings.put(CommonClientConfigs.ENABLE_METRICS_PUSH_CONFIG, false);
            return start(settings);
        }
    }

    /** Writes one event and waits for its acknowledgement. */
    final class Writer implements StockClient {
        private static final int PATIENCE_MS = Patience.ms(10_000);

        private final KafkaProducer<byte[], byte[]> producer;
        private final byte[] event = new TrafficSensors(0).event(0).toJson();

        private Writer(Map<String, Object> settings) {
            settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, false);
            settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
            settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, PATIENCE_MS);
            settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, PATIENCE_MS);
            settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, PATIENCE_MS);
            producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
        }

        @Override
        public long proceed() {
            try {
                producer.send(new ProducerRecord<>(Demonstration.TOPIC, 0, null, event))
                        .get(2L * PATIENCE_MS, TimeUnit.MILLISECONDS);
                return 1;
            } catch (ExecutionException e) {
                throw e.getCause() instanceof RuntimeException said ? said : new IllegalStateException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            } catch (java.util.concurrent.TimeoutException e) {
                throw new IllegalStateException("the producer neither completed nor failed the send", e);
            }
        }

        @Override
        public void close() {
            producer.close(Duration.ZERO);
        }
    }

    /** Reads some events; seeks to the beginning at the end of the log. */
    final class Reader implements StockClient {
        private static final Duration PATIENCE = Patience.ofSeconds(10);
        private static final Duration POLL = Duration.ofMillis(50);
        private static final TopicPartition PARTITION = new TopicPartition(Demonstration.TOPIC, 0);

        private final KafkaConsumer<byte[], byte[]> consumer;
        private final Collection<TopicPartition> partitions = List.of(PARTITION);

        private Reader(Map<String, Object> settings) {
            settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
            // A Fetch that waits at the end of the log is refused only after this wait, as at a broker.
            settings.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, (int) POLL.toMillis());
            consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
        }

        @Override
        public long proceed() {
            Deadline deadline = Deadline.after(PATIENCE);
            while (!deadline.isOver()) {
                int events = consumer.poll(POLL).count();
                if (events > 0) {
                    return events;
                }
                // At another time a seek would discard a Fetch that is on its way, and on a slow machine each of them.
                if (consumer.currentLag(PARTITION).equals(OptionalLong.of(0))) {
                    consumer.seekToBeginning(partitions);
                }
            }
            throw new IllegalStateException("the consumer received neither records nor an error");
        }

        @Override
        public void close() {
            consumer.close(org.apache.kafka.clients.consumer.CloseOptions.timeout(Duration.ZERO));
        }
    }
}
