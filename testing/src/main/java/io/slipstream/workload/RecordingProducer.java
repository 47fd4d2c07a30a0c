// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import io.slipstream.history.ClientEvent.ProducerInitialized;
import io.slipstream.history.ClientEvent.SendCompleted;
import io.slipstream.history.ClientEvent.SendInvoked;
import io.slipstream.history.ClientEvent.TransactionBegun;
import io.slipstream.history.ClientEvent.TransactionEnded;
import io.slipstream.history.ClientEvent.TransactionOffsetsSent;
import io.slipstream.history.Outcome;
import io.slipstream.history.ProducerKind;
import io.slipstream.history.Recorder;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A stock producer of self-describing values that records its sends and transactions. One incarnation, confined to one
 * thread.
 */
final class RecordingProducer implements AutoCloseable {
    private static final int NO_TRANSACTION = -1;
    private static final int MOST_MESSAGE = 80;

    private final RecordedRun run;
    private final Recorder recorder;
    private final int id;
    private final Random random;
    private final KafkaProducer<byte[], byte[]> producer;
    private final AtomicInteger unanswered = new AtomicInteger();
    private final AtomicInteger acknowledged;
    private int sequence;
    private int transactions;
    private int transaction = NO_TRANSACTION;

    /** @param acknowledged counts acknowledged sends over all incarnations */
    RecordingProducer(
            RecordedRun run, ClientSettings settings, ProducerPlan plan, Random random, AtomicInteger acknowledged) {
        this.run = run;
        this.random = random;
        this.acknowledged = acknowledged;
        recorder = run.recorder();
        id = run.declareProducer(plan.kind(), plan.acks(), plan.transactionalId());
        producer = new KafkaProducer<>(
                settings.producer(plan.kind(), plan.acks(), plan.transactionalId(), plan.codec()),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        if (plan.kind() == ProducerKind.TRANSACTIONAL) {
            initialize();
        }
    }

    private void initialize() {
        long invokedNs = recorder.nowNs();
        try {
            producer.initTransactions();
            recorder.record(new ProducerInitialized(invokedNs, recorder.nowNs(), id, Outcome.OK, ""));
        } catch (RuntimeException e) {
            recorder.record(new ProducerInitialized(invokedNs, recorder.nowNs(), id, Outcome.UNKNOWN, nameOf(e)));
            producer.close(Duration.ZERO);
            throw e;
        }
    }

    int unanswered() {
        return unanswered.get();
    }

    /** @param source the copied value, else {@link io.slipstream.history.ValueId#NONE} */
    void send(TopicPartition partition, int fillerBytes, long source) {
        int number = sequence++;
        byte[] value = run.describe(partition, id, number).encode(random, fillerBytes);
        byte[] key = number % 3 == 0
                ? null
                : ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
        List<Header> headers = number % 5 == 0 ? List.of(new RecordHeader("n", new byte[] {(byte) number})) : List.of();
        long timestampMs = System.currentTimeMillis();
        int digest = RecordDigest.of(key, value, headers, TimestampType.CREATE_TIME, timestampMs);
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(partition.topic(), partition.partition(), timestampMs, key, value, headers);
        unanswered.incrementAndGet();
        recorder.record(
                new SendInvoked(recorder.nowNs(), id, number, run.number(partition), transaction, digest, source));
        try {
            producer.send(record, (metadata, exception) -> complete(number, metadata, exception));
        } catch (RuntimeException e) {
            // Thrown instead of passed to the callback: the record has not left the client.
            unanswered.decrementAndGet();
            recorder.record(new SendCompleted(recorder.nowNs(), id, number, Outcome.FAILED, -1, nameOf(e)));
            throw e;
        }
    }

    private void complete(int number, RecordMetadata metadata, Exception exception) {
        Outcome outcome = exception == null ? Outcome.OK : isDefinite(exception) ? Outcome.FAILED : Outcome.UNKNOWN;
        long offset = exception == null && metadata.hasOffset() ? metadata.offset() : -1;
        recorder.record(new SendCompleted(recorder.nowNs(), id, number, outcome, offset, nameOf(exception)));
        if (exception == null) {
            acknowledged.incrementAndGet();
        }
        unanswered.decrementAndGet();
    }

    /** Only a refusal by the client before sending is definite; other errors may follow an attempt that succeeded. */
    private static boolean isDefinite(Exception exception) {
        return exception instanceof RecordTooLargeException
                || exception instanceof SerializationException
                || exception instanceof InvalidTopicException;
    }

    void flush() {
        producer.flush();
    }

    void begin() {
        transaction = transactions++;
        recorder.record(new TransactionBegun(recorder.nowNs(), id, transaction));
        producer.beginTransaction();
    }

    void sendOffsets(String group, Map<TopicPartition, Long> offsets, ConsumerGroupMetadata metadata) {
        Map<TopicPartition, OffsetAndMetadata> request = new TreeMap<>(RecordingConsumer.BY_NAME);
        offsets.forEach((partition, offset) -> request.put(partition, new OffsetAndMetadata(offset)));
        int[] partitions = request.keySet().stream().mapToInt(run::number).toArray();
        long[] values =
                request.values().stream().mapToLong(OffsetAndMetadata::offset).toArray();
        Outcome outcome = Outcome.UNKNOWN;
        String error = "";
        try {
            producer.sendOffsetsToTransaction(request, metadata);
            outcome = Outcome.OK;
        } catch (KafkaException e) {
            error = nameOf(e);
            throw e;
        } finally {
            recorder.record(new TransactionOffsetsSent(
                    recorder.nowNs(), id, transaction, group, partitions, values, outcome, error));
        }
    }

    /**
     * Ends the transaction. After a failure the outcome is recorded as unknown, and the caller closes this incarnation.
     */
    void end(boolean commit) {
        long invokedNs = recorder.nowNs();
        Outcome outcome = Outcome.UNKNOWN;
        String error = "";
        try {
            if (commit) {
                producer.commitTransaction();
            } else {
                producer.abortTransaction();
            }
            outcome = Outcome.OK;
        } catch (KafkaException e) {
            error = nameOf(e);
            throw e;
        } finally {
            recorder.record(new TransactionEnded(invokedNs, recorder.nowNs(), id, transaction, commit, outcome, error));
            transaction = NO_TRANSACTION;
        }
    }

    /**
     * Returns the class name. If the class says nothing about the failure, returns that of the cause, or adds the start
     * of the message.
     */
    static String nameOf(Exception exception) {
        if (exception == null) {
            return "";
        }
        Throwable telling = exception;
        while (telling.getClass() == KafkaException.class && telling.getCause() != null) {
            telling = telling.getCause();
        }
        String name = telling.getClass().getSimpleName();
        String message = telling.getMessage();
        if (telling.getClass() != KafkaException.class || message == null) {
            return name;
        }
        return name + ": " + message.substring(0, Math.min(MOST_MESSAGE, message.length()));
    }

    /** Pending sends end with an error. */
    @Override
    public void close() {
        producer.close(Duration.ofSeconds(1));
    }
}
