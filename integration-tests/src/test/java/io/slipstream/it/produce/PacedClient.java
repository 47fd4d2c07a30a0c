// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.produce;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.slipstream.it.TailLatency;
import io.slipstream.process.Patience;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A stock producer that sends one record per interval and waits for its acknowledgement, and a consumer of them. */
final class PacedClient implements AutoCloseable {
    private static final long INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(40);

    record Totals(long acks, long records, long medianUs, long p99Ms) {}

    private final KafkaProducer<byte[], byte[]> producer;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final byte[] own = UUID.randomUUID().toString().getBytes(US_ASCII);
    private final TopicPartition partition;
    private final AtomicInteger acks = new AtomicInteger();
    private final List<Long> latenciesNs = Collections.synchronizedList(new ArrayList<>());
    private final Thread sending = new Thread(this::send, "paced-producer");
    private final Thread receiving = new Thread(this::receive, "paced-consumer");
    private volatile boolean closed;

    PacedClient(String bootstrap, String topic, int partition) {
        this.partition = new TopicPartition(topic, partition);
        producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap, "acks", "1", "enable.idempotence", "false"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap), new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumer.assign(List.of(this.partition));
        consumer.seekToEnd(List.of(this.partition));
        sending.start();
        receiving.start();
    }

    private void send() {
        long nextNs = System.nanoTime();
        while (!closed) {
            byte[] value =
                    ByteBuffer.allocate(Long.BYTES).putLong(System.nanoTime()).array();
            try {
                producer.send(new ProducerRecord<>(partition.topic(), partition.partition(), own, value))
                        .get();
                acks.incrementAndGet();
            } catch (Exception closing) {
                return;
            }
            nextNs = Math.max(System.nanoTime(), nextNs + INTERVAL_NS);
            LockSupport.parkNanos(nextNs - System.nanoTime());
        }
    }

    private void receive() {
        try (consumer) {
            while (!closed) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    if (Arrays.equals(record.key(), own)) {
                        latenciesNs.add(System.nanoTime()
                                - ByteBuffer.wrap(record.value()).getLong());
                    }
                }
            }
        }
    }

    /** Forgets what was counted. */
    void reset() {
        acks.set(0);
        latenciesNs.clear();
    }

    static Totals totals(List<PacedClient> clients) {
        long acks = 0;
        List<Long> all = new ArrayList<>();
        for (PacedClient client : clients) {
            acks += client.acks.get();
            synchronized (client.latenciesNs) {
                all.addAll(client.latenciesNs);
            }
        }
        Collections.sort(all);
        return all.isEmpty()
                ? new Totals(acks, 0, Long.MAX_VALUE / 4, Long.MAX_VALUE / 4)
                : new Totals(
                        acks,
                        all.size(),
                        TimeUnit.NANOSECONDS.toMicros(all.get(all.size() / 2)),
                        TailLatency.p99Ms(all.stream().mapToLong(Long::longValue)));
    }

    @Override
    public void close() {
        closed = true;
        producer.close(Duration.ofSeconds(1));
        try {
            sending.join(Patience.ofSeconds(15).toMillis());
            receiving.join(Patience.ofSeconds(15).toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
