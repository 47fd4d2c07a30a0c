// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import io.slipstream.it.read.WrittenValue.Fate;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A stock producer on its own thread that writes batches of a few bytes to hundreds of kilobytes until stopped, and
 * records acknowledgements.
 */
final class LogWriter extends Worker {
    private static final int KEYS = 40;
    private static final int FEW = 10;
    private static final int LARGEST_BYTES = 400_000;
    private static final int PAUSE_MS = 90;
    private static final int ABORT_ONE_IN = 3;

    private final WriterPlan plan;
    private final Findings findings;
    private final Random random;
    private final KafkaProducer<byte[], byte[]> producer;
    private final byte[] filler = new byte[1 << 20];
    private Fate fate = Fate.NO_TRANSACTION;
    private int sequence;

    LogWriter(WriterPlan plan, String bootstrap, long seed, Findings findings) {
        super("writer-" + plan.number(), findings);
        this.plan = plan;
        this.findings = findings;
        random = new Random(seed + plan.number());
        // Half of it is compressible.
        random.nextBytes(filler);
        for (int i = 0; i < filler.length; i++) {
            filler[i] = (i & 256) == 0 ? filler[i] : 0;
        }
        producer = new KafkaProducer<>(plan.settings(bootstrap), new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    void work() {
        try (producer) {
            if (plan.isTransactional()) {
                producer.initTransactions();
            }
            while (!isStopped()) {
                if (plan.isTransactional()) {
                    transaction();
                } else {
                    write();
                    producer.flush();
                }
                pause();
            }
        }
    }

    private void transaction() {
        fate = random.nextInt(ABORT_ONE_IN) == 0 ? Fate.ABORTED : Fate.COMMITTED;
        producer.beginTransaction();
        int steps = 1 + random.nextInt(3) + (plan.kind() == WriterPlan.Kind.LONG_TRANSACTIONS ? 15 : 0);
        for (int i = 0; i < steps && !isStopped(); i++) {
            write();
            producer.flush();
            pause();
        }
        plan.logs().forEach(log -> log.transactionEnds(plan.number()));
        if (fate == Fate.ABORTED) {
            producer.abortTransaction();
        } else {
            producer.commitTransaction();
        }
    }

    /** Writes a few batches' worth of one size to one partition. */
    private void write() {
        WrittenLog log = plan.logs().get(random.nextInt(plan.logs().size()));
        int size = plan.mostRecords() < FEW ? 0 : random.nextInt(10);
        int records = 1 + random.nextInt(size < 6 ? plan.mostRecords() : size < 9 ? 20 : 2);
        int mostBytes = size < 6 ? 200 : size < 9 ? 8_000 : LARGEST_BYTES;
        for (int i = 0; i < records; i++) {
            send(log, random.nextInt(mostBytes));
        }
    }

    private void send(WrittenLog log, int fillerBytes) {
        WrittenValue value = new WrittenValue(log.number(), plan.number(), sequence++, fate);
        int key = log.isCompacted() ? random.nextInt(KEYS) : WrittenRecord.NO_KEY;
        byte[] keyBytes = key == WrittenRecord.NO_KEY
                ? null
                : ByteBuffer.allocate(Integer.BYTES).putInt(key).array();
        byte[] bytes = value.encode(filler, fillerBytes);
        long timestampMs = System.currentTimeMillis();
        long digest = WrittenValue.digest(keyBytes, bytes, timestampMs);
        WrittenRecord record = new WrittenRecord(value, digest, key, System.nanoTime());
        producer.send(
                new ProducerRecord<>(
                        log.partition().topic(), log.partition().partition(), timestampMs, keyBytes, bytes),
                (metadata, failure) -> sent(log, record, metadata, failure));
    }

    private void sent(WrittenLog log, WrittenRecord record, RecordMetadata metadata, Exception failure) {
        if (failure == null) {
            log.acknowledged(metadata.offset(), record);
        } else {
            findings.add("%s was not written to %s: %s", record, log.partition(), failure);
        }
    }

    private void pause() {
        LockSupport.parkNanos(Duration.ofMillis(1 + random.nextInt(PAUSE_MS)).toNanos());
    }
}
