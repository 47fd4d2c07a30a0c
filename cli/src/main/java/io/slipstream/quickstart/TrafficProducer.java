// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Sends the sensors' events with the stock Java producer and its defaults: idempotent, acks=all. Confined to one
 * thread.
 */
final class TrafficProducer implements AutoCloseable {
    private static final long PATIENCE_S = 60;

    private final KafkaProducer<byte[], byte[]> producer;
    private final TrafficSensors sensors;
    private final String topic;
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicReference<Exception> firstFailure = new AtomicReference<>();

    /** @param client authentication settings */
    TrafficProducer(String bootstrapServers, Map<String, Object> client, String topic, TrafficSensors sensors) {
        this.sensors = sensors;
        this.topic = topic;
        Map<String, Object> settings = new HashMap<>(client);
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        settings.put(ProducerConfig.CLIENT_ID_CONFIG, "traffic-sensors");
        settings.put(ProducerConfig.ENABLE_METRICS_PUSH_CONFIG, false);
        producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Queues an event; the producer batches it with others. */
    void send(long number) {
        enqueue(number);
    }

    /** Sends one event alone and returns the nanoseconds until its acknowledgement. */
    long sendAlone(long number) {
        long startNs = System.nanoTime();
        Future<RecordMetadata> answer = enqueue(number);
        // Without the flush the event would wait linger.ms for other records.
        producer.flush();
        try {
            answer.get(PATIENCE_S, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            firstFailure.compareAndSet(null, e);
        }
        return System.nanoTime() - startNs;
    }

    void flush() {
        producer.flush();
    }

    long acknowledged() {
        return acknowledged.get();
    }

    /** Returns the first error that the producer reported, or null. */
    Exception failure() {
        return firstFailure.get();
    }

    @Override
    public void close() {
        producer.close();
    }

    private Future<RecordMetadata> enqueue(long number) {
        byte[] value = sensors.event(number).toJson();
        return producer.send(
                new ProducerRecord<>(topic, TrafficSensors.partition(number), null, value), (metadata, failure) -> {
                    if (failure == null) {
                        acknowledged.incrementAndGet();
                    } else {
                        firstFailure.compareAndSet(null, failure);
                    }
                });
    }
}
