// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A stock producer that sends records to one topic at scheduled times, and a stock consumer of all its partitions, one
 * thread each. Each record carries its scheduled time. The topic has no other writers meanwhile.
 */
final class TopicTraffic implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration POLL = Duration.ofMillis(100);
    private static final long LONGEST_NS = 60_000_000_000L;
    private static final Map<String, Object> PRODUCER = Map.of("acks", "all", "linger.ms", "1", "batch.size", "131072");

    private final Schedule schedule;
    private final long count;
    private final long firstMeasured;
    private final String topic;
    private final KafkaProducer<byte[], byte[]> producer;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final byte[] template;
    private final Histogram delays = Measurement.newHistogram();
    private final Histogram acknowledgements = Measurement.newHistogram();
    private final Thread sender = new Thread(this::send, "traffic-sender");
    private final Thread receiver = new Thread(this::receive, "traffic-receiver");
    private long startNs;
    private long lastNs;
    private volatile boolean closing;
    private volatile Exception failure;

    /** Connects both; the consumer starts at the ends of the partitions. */
    TopicTraffic(
            String bootstrap,
            TopicRef topic,
            int partitions,
            int valueBytes,
            Schedule schedule,
            long warmupNs,
            long measureNs) {
        this.topic = topic.name();
        this.schedule = schedule;
        count = schedule.before(warmupNs + measureNs);
        firstMeasured = schedule.before(warmupNs);
        template = new byte[valueBytes];
        new Random(topic.name().hashCode()).nextBytes(template);
        producer = new KafkaProducer<>(with(PRODUCER, bootstrap), new ByteArraySerializer(), new ByteArraySerializer());
        consumer = new KafkaConsumer<>(
                with(Map.of(), bootstrap), new ByteArrayDeserializer(), new ByteArrayDeserializer());
        producer.partitionsFor(this.topic);
        List<TopicPartition> all = IntStream.range(0, partitions)
                .mapToObj(partition -> new TopicPartition(this.topic, partition))
                .toList();
        consumer.assign(all);
        consumer.seekToEnd(all);
        all.forEach(partition -> consumer.position(partition, PATIENCE));
    }

    private static Map<String, Object> with(Map<String, Object> settings, String bootstrap) {
        Map<String, Object> all = new HashMap<>(settings);
        all.put("bootstrap.servers", bootstrap);
        return all;
    }

    /** @param atNs start of the schedule, by {@link System#nanoTime} */
    void start(long atNs) {
        startNs = atNs;
        receiver.start();
        sender.start();
    }

    private void send() {
        try {
            for (long index = 0; index < count && failure == null && !closing; index++) {
                long dueNs = startNs + schedule.dueNs(index);
                for (long leftNs = dueNs - System.nanoTime(); leftNs > 0; leftNs = dueNs - System.nanoTime()) {
                    LockSupport.parkNanos(leftNs);
                }
                byte[] value = template.clone();
                ByteBuffer.wrap(value).putLong(index);
                boolean measured = index >= firstMeasured;
                producer.send(new ProducerRecord<>(topic, value), (metadata, error) -> {
                    if (error != null) {
                        failure = error;
                    } else if (measured) {
                        acknowledgements.recordValue(Math.min(LONGEST_NS, System.nanoTime() - dueNs));
                    }
                });
            }
            producer.flush();
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    private void receive() {
        long received = 0;
        long progressNs = System.nanoTime();
        try {
            while (received < count && failure == null && !closing) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    progressNs = System.nanoTime();
                    long index = ByteBuffer.wrap(record.value()).getLong();
                    if (index >= firstMeasured) {
                        delays.recordValue(Math.min(LONGEST_NS, progressNs - startNs - schedule.dueNs(index)));
                        lastNs = progressNs;
                    }
                    received++;
                }
                if (System.nanoTime() - Math.max(progressNs, startNs) > PATIENCE.toNanos()) {
                    throw new IllegalStateException(
                            "no record for " + PATIENCE.toSeconds() + " s, " + received + " of " + count + " received");
                }
            }
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    /**
     * Returns when everything is sent, acknowledged and received.
     *
     * @throws IOException if an operation failed
     */
    void await() throws IOException {
        try {
            sender.join(PATIENCE.toMillis() + TimeUnit.NANOSECONDS.toMillis(schedule.dueNs(count)));
            receiver.join(PATIENCE.toMillis());
        } catch (InterruptedException e) {
            throw new InterruptedIOException("interrupted while records were on their way");
        }
        if (failure != null) {
            throw new IOException("traffic of " + topic, failure);
        } else if (sender.isAlive() || receiver.isAlive()) {
            throw new IOException("traffic of " + topic + " does not end");
        }
    }

    /**
     * Returns the times from each measured record's scheduled time to its receipt. Valid after {@link #await}, as are
     * the following ones.
     */
    Histogram delays() {
        return delays;
    }

    /** Times to the acknowledgement. */
    Histogram acknowledgements() {
        return acknowledgements;
    }

    long records() {
        return count;
    }

    /** From the first measured record's scheduled time to the receipt of the last one. */
    long elapsedNs() {
        return lastNs - startNs - schedule.dueNs(firstMeasured);
    }

    @Override
    public void close() {
        closing = true;
        try {
            receiver.join(PATIENCE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        producer.close(Duration.ofSeconds(5));
        if (!receiver.isAlive()) {
            consumer.close();
        }
    }
}
