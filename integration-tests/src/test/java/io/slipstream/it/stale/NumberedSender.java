package io.slipstream.it.stale;

import io.slipstream.harness.Deadline;
import io.slipstream.harness.Patience;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Sends large records with rising numbers to one partition, each when the one before was acknowledged by all replicas. One thread may send, any may ask. */
final class NumberedSender implements AutoCloseable {
    private static final int HEAD_BYTES = 2 * Long.BYTES;
    private static final int PATIENCE_MS = Patience.ms(60_000);

    private final KafkaProducer<byte[], byte[]> producer;
    private final TopicPartition partition;
    private final long id;
    private final byte[] value;
    private volatile long acknowledged;
    private volatile Thread thread;
    private volatile Exception failure;

    /** @param id first eight bytes of each value; the next eight are the record's number, from 1 on */
    NumberedSender(String bootstrap, TopicPartition partition, long id, int valueBytes, Random random) {
        this.partition = partition;
        this.id = id;
        value = new byte[valueBytes];
        random.nextBytes(value);
        for (int i = 0; i < valueBytes; i++) {
            // So that bytes that were not written yet can be told.
            value[i] |= 1;
        }
        producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "acks",
                        "all",
                        "linger.ms",
                        "0",
                        "max.request.size",
                        4 * valueBytes,
                        "request.timeout.ms",
                        Patience.ms(5_000),
                        "delivery.timeout.ms",
                        PATIENCE_MS),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    long id() {
        return id;
    }

    TopicPartition partition() {
        return partition;
    }

    /** The number of the last acknowledged record. */
    long acknowledged() {
        return acknowledged;
    }

    static long idOf(byte[] value) {
        return ByteBuffer.wrap(value).getLong(0);
    }

    static long numberOf(byte[] value) {
        return ByteBuffer.wrap(value).getLong(Long.BYTES);
    }

    /** Sends one; returns when it is acknowledged. */
    void send() throws InterruptedException, ExecutionException, TimeoutException {
        byte[] next = value.clone();
        ByteBuffer.wrap(next, 0, HEAD_BYTES).putLong(id).putLong(acknowledged + 1);
        producer.send(new ProducerRecord<>(partition.topic(), partition.partition(), null, next))
                .get(2L * PATIENCE_MS, TimeUnit.MILLISECONDS);
        acknowledged++;
    }

    /** Sends from a thread of its own from now on, at most one in so many milliseconds. */
    void startSending(long intervalMs) {
        thread = new Thread(
                () -> {
                    try {
                        while (!Thread.currentThread().isInterrupted()) {
                            send();
                            TimeUnit.MILLISECONDS.sleep(intervalMs);
                        }
                    } catch (InterruptedException | org.apache.kafka.common.errors.InterruptException stopped) {
                        Thread.currentThread().interrupt();
                    } catch (ExecutionException | TimeoutException e) {
                        failure = e;
                    }
                },
                "sender-" + partition);
        thread.setDaemon(true);
        thread.start();
    }

    /** Waits until so many more were acknowledged than now. */
    void awaitMore(int records, Duration patience) {
        long enough = acknowledged + records;
        boolean reached = Deadline.after(patience).await(() -> failure != null || acknowledged >= enough);
        if (!reached || failure != null) {
            throw new IllegalStateException(
                    "record " + (acknowledged + 1) + " to " + partition + " is not acknowledged", failure);
        }
    }

    @Override
    public void close() {
        Thread sending = thread;
        if (sending != null) {
            sending.interrupt();
            try {
                sending.join(PATIENCE_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        producer.close(Duration.ZERO);
    }
}
