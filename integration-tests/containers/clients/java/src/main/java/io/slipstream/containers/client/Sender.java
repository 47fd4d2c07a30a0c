// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers.client;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Sends at a steady rate until stopped, then waits for pending acknowledgements. */
final class Sender {
    private static final int MOST_UNANSWERED = 2_000;
    private static final long TICK_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long FLUSH_PATIENCE_NS = TimeUnit.SECONDS.toNanos(20);

    private final Settings settings;
    private final AcknowledgedEnds ends;
    private final Results results;
    private final int[] nextSequence;
    private final AtomicLong unanswered = new AtomicLong();
    private final AtomicLong acknowledged = new AtomicLong();
    private KafkaProducer<byte[], byte[]> producer;

    Sender(Settings settings, AcknowledgedEnds ends) {
        this.settings = settings;
        this.ends = ends;
        results = new Results(settings, "producer");
        nextSequence = new int[settings.partitions()];
        producer = connect();
    }

    private KafkaProducer<byte[], byte[]> connect() {
        Map<String, Object> producer = settings.client();
        producer.put("acks", "all");
        producer.put("enable.idempotence", true);
        producer.put("delivery.timeout.ms", Integer.MAX_VALUE);
        producer.put("max.block.ms", 2_000);
        producer.put("linger.ms", 5);
        return new KafkaProducer<>(producer, new ByteArraySerializer(), new ByteArraySerializer());
    }

    void run(CountDownLatch stopping) throws InterruptedException {
        int count = Math.max(1, (int) (settings.rate() * TICK_NS / TimeUnit.SECONDS.toNanos(1)));
        long tickNs = System.nanoTime();
        int partition = 0;
        do {
            if (unanswered.get() + count <= MOST_UNANSWERED && isKnown(partition)) {
                send(partition, count);
                partition = (partition + 1) % settings.partitions();
            }
            tickNs = Math.max(tickNs + TICK_NS, System.nanoTime() - TimeUnit.SECONDS.toNanos(1));
        } while (!stopping.await(tickNs - System.nanoTime(), TimeUnit.NANOSECONDS));
        end();
    }

    /** Without the topic's metadata a send would block and then fail without sending. */
    private boolean isKnown(int partition) {
        try {
            return producer.partitionsFor(settings.topic()).size() > partition;
        } catch (KafkaException e) {
            results.trouble(e);
            return false;
        }
    }

    private void send(int partition, int count) {
        int first = nextSequence[partition];
        nextSequence[partition] = first + count;
        results.write("sending", "\"partition\":" + partition + ",\"sequence\":" + first + ",\"count\":" + count);
        for (int sequence = first; sequence < first + count; sequence++) {
            int sent = sequence;
            unanswered.incrementAndGet();
            byte[] value = Value.encode(settings, partition, sequence);
            try {
                producer.send(
                        new ProducerRecord<>(settings.topic(), partition, null, value),
                        (answer, error) -> answered(partition, sent, answer, error));
            } catch (KafkaException fatal) {
                answered(partition, sent, null, fatal);
                replace();
            }
        }
    }

    private void answered(int partition, int sequence, RecordMetadata answer, Exception error) {
        unanswered.decrementAndGet();
        String what = "\"partition\":" + partition + ",\"sequence\":" + sequence;
        if (error != null) {
            results.write("given-up", what + "," + Results.error(error));
            return;
        }
        acknowledged.incrementAndGet();
        long offset = answer.hasOffset() ? answer.offset() : -1;
        ends.raise(partition, offset + 1);
        results.write("acknowledged", what + ",\"offset\":" + offset);
    }

    /** After a fatal error a producer accepts no more records. */
    private void replace() {
        producer.close(Duration.ZERO);
        producer = connect();
    }

    private void end() throws InterruptedException {
        long deadlineNs = System.nanoTime() + FLUSH_PATIENCE_NS;
        while (unanswered.get() > 0 && System.nanoTime() < deadlineNs) {
            Thread.sleep(10);
        }
        results.write("ended", "\"records\":" + acknowledged.get() + ",\"unfinished\":" + unanswered.get());
        producer.close(Duration.ofSeconds(2));
    }

    Results results() {
        return results;
    }
}
