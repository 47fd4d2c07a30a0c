// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.fault;

import io.slipstream.process.Patience;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A stock producer on its own thread. It sends a fixed number of values to partition 0 and records the acknowledged
 * offsets. An idempotent producer must recover from every fault by itself. Other producers send each value once and
 * record failed sends.
 */
final class StreamProducer implements AutoCloseable {
    private static final int UNACKNOWLEDGED = 500;
    private static final int FILLER_BYTES = 400;
    private static final long UNSENT = -1;
    private static final long FAILED = -2;

    /** How a producer sends. */
    enum Kind {
        IDEMPOTENT("all"),
        ACKS_ALL("all"),
        ACKS_1("1");

        private final String acks;

        Kind(String acks) {
            this.acks = acks;
        }

        private boolean retries() {
            return this == IDEMPOTENT;
        }
    }

    private final Kind kind;
    private final String topic;
    private final long stream;
    private final int id;
    private final Random random;
    private final AtomicLongArray offsets;
    private final AtomicInteger acknowledged = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private final Semaphore window = new Semaphore(UNACKNOWLEDGED);
    private final KafkaProducer<byte[], byte[]> producer;
    private final Thread thread;

    StreamProducer(Kind kind, String bootstrap, String topic, long stream, int id, int count) {
        this.kind = kind;
        this.topic = topic;
        this.stream = stream;
        this.id = id;
        random = new Random(stream + id);
        offsets = new AtomicLongArray(count);
        for (int i = 0; i < count; i++) {
            offsets.set(i, UNSENT);
        }
        producer = new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        bootstrap,
                        ProducerConfig.CLIENT_ID_CONFIG,
                        "producer-" + id,
                        ProducerConfig.ACKS_CONFIG,
                        kind.acks,
                        ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                        kind.retries(),
                        ProducerConfig.RETRIES_CONFIG,
                        kind.retries() ? Integer.MAX_VALUE : 0,
                        ProducerConfig.LINGER_MS_CONFIG,
                        1,
                        ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
                        Patience.ms(5_000),
                        ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                        Patience.ms(90_000),
                        ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG,
                        500),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        thread = new Thread(this::run, "stream-producer-" + id);
        thread.setDaemon(true);
    }

    StreamProducer start() {
        thread.start();
        return this;
    }

    private void run() {
        try {
            for (int sequence = 0; sequence < offsets.length() && failure.get() == null; sequence++) {
                if (!window.tryAcquire(Patience.ms(100_000), TimeUnit.MILLISECONDS)) {
                    throw new IllegalStateException("no acknowledgement for " + Patience.ms(100_000) + " ms");
                }
                int sent = sequence;
                byte[] value = new StreamedValue(stream, id, sequence).encode(random, random.nextInt(FILLER_BYTES));
                producer.send(
                        new ProducerRecord<>(topic, 0, null, value),
                        (metadata, exception) -> acknowledge(sent, metadata, exception));
            }
            producer.flush();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            failure.compareAndSet(null, e);
        } finally {
            // Otherwise it would keep connecting to a stopped broker, whose restart other tests observe.
            producer.close(Duration.ZERO);
        }
    }

    private void acknowledge(int sequence, RecordMetadata metadata, Exception exception) {
        if (exception == null) {
            offsets.set(sequence, metadata.offset());
            acknowledged.incrementAndGet();
        } else if (!kind.retries()) {
            offsets.set(sequence, FAILED);
            failed.incrementAndGet();
        } else {
            failure.compareAndSet(null, exception);
        }
        window.release();
    }

    int id() {
        return id;
    }

    int count() {
        return offsets.length();
    }

    int acknowledged() {
        return acknowledged.get();
    }

    /** Returns the number of failed sends. The broker may have appended them. */
    int failed() {
        return failed.get();
    }

    boolean hasFailed(int sequence) {
        return offsets.get(sequence) == FAILED;
    }

    /** Returns whether each send was acknowledged or failed. */
    boolean isDone() {
        return acknowledged.get() + failed.get() == offsets.length();
    }

    /** Returns the acknowledged offset of the value; negative if there is none. */
    long offsetOf(int sequence) {
        return offsets.get(sequence);
    }

    /** Returns the error that ended the producer, or null. */
    Exception failure() {
        return failure.get();
    }

    @Override
    public void close() {
        thread.interrupt();
        producer.close(Duration.ZERO);
    }
}
