// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The round trips of the raw client, made by the stock Java client with its threads and overhead: one record sent and
 * acknowledged; one batch polled; or one record sent and polled by a waiting consumer. One at a time.
 */
final class ClientExchange implements Exchange {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(5);
    /** Enough time for the consumer's next fetch to reach the broker. */
    private static final long SETTLE_NS = TimeUnit.MICROSECONDS.toNanos(100);
    /** The cursor restarts before the end of the log, because the consumer's prefetch must not wait there. */
    private static final int MOVING_BATCHES = KafkaExchange.FETCHED_BATCHES - 2;

    private final Workload.Kind kind;
    private final TopicPartition partition;
    private final byte[] value;
    private KafkaProducer<byte[], byte[]> producer;
    private KafkaConsumer<byte[], byte[]> consumer;
    private Future<RecordMetadata> acknowledgement;
    private int polled;

    private ClientExchange(Workload workload, TopicRef topic) {
        kind = workload.kind();
        partition = new TopicPartition(topic.name(), 0);
        value = new byte[workload.valueBytes()];
    }

    /**
     * Connects and makes one exchange, so that the client knows the cluster.
     *
     * @param topic topic without other writers; for fetches one filled by {@link KafkaExchange#fill}
     */
    static ClientExchange open(Workload workload, String bootstrap, TopicRef topic) throws IOException {
        ClientExchange exchange = new ClientExchange(workload, topic);
        try {
            exchange.connect(bootstrap);
            exchange.prepare(0);
            exchange.send(0);
            exchange.receive();
            return exchange;
        } catch (IOException | RuntimeException e) {
            exchange.close();
            throw e;
        }
    }

    private void connect(String bootstrap) {
        if (kind != Workload.Kind.CLIENT_FETCH) {
            producer = new KafkaProducer<>(
                    Map.of(
                            "bootstrap.servers",
                            bootstrap,
                            "acks",
                            "1",
                            "linger.ms",
                            "0",
                            "enable.idempotence",
                            "false"),
                    new ByteArraySerializer(),
                    new ByteArraySerializer());
        }
        if (kind != Workload.Kind.CLIENT_PRODUCE) {
            consumer = new KafkaConsumer<>(
                    Map.of("bootstrap.servers", bootstrap, "max.partition.fetch.bytes", "1", "max.poll.records", "1"),
                    new ByteArrayDeserializer(),
                    new ByteArrayDeserializer());
            consumer.assign(List.of(partition));
            if (kind == Workload.Kind.CLIENT_FETCH) {
                consumer.seekToBeginning(List.of(partition));
            } else {
                consumer.seekToEnd(List.of(partition));
            }
            consumer.position(partition, PATIENCE);
        }
    }

    @Override
    public void prepare(int slot) throws IOException {
        switch (kind) {
            case CLIENT_FETCH -> {
                if (polled == MOVING_BATCHES) {
                    consumer.seekToBeginning(List.of(partition));
                    consumer.position(partition, PATIENCE);
                    polled = 0;
                }
            }
            case CLIENT_END_TO_END -> {
                awaitAcknowledged();
                LockSupport.parkNanos(SETTLE_NS);
            }
            default -> {
                // Nothing remains of the last exchange.
            }
        }
    }

    @Override
    public void send(int slot) {
        if (producer != null) {
            acknowledgement = producer.send(new ProducerRecord<>(partition.topic(), 0, null, value));
        }
    }

    @Override
    public int receive() throws IOException {
        if (consumer == null) {
            awaitAcknowledged();
        } else {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(PATIENCE);
            if (records.count() != 1) {
                throw new SocketTimeoutException(records.count() + " records within " + PATIENCE.toSeconds() + " s");
            }
            polled++;
        }
        return 0;
    }

    private void awaitAcknowledged() throws IOException {
        if (acknowledgement == null) {
            return;
        }
        try {
            acknowledgement.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("a record was not acknowledged", e);
        } catch (InterruptedException e) {
            throw new InterruptedIOException("interrupted while a record was on its way");
        }
    }

    @Override
    public long recordBytes() {
        return 0;
    }

    @Override
    public void close() {
        if (producer != null) {
            producer.close(CLOSE_PATIENCE);
        }
        if (consumer != null) {
            consumer.close();
        }
    }
}
