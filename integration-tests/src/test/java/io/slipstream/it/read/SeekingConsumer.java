// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A stock consumer on its own thread that seeks, pauses, changes its assignment and reads a little each time, until
 * stopped.
 */
final class SeekingConsumer extends Worker {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final int MOST_POLLS = 12;
    private static final int PAUSE_MS = 30;
    private static final long BEYOND = 1_000_000_000L;

    private final ReaderPlan plan;
    private final Findings findings;
    private final ReadCounts counts;
    private final Random random;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Map<TopicPartition, ReadCheck> checks = new HashMap<>();
    private final Set<TopicPartition> beyond = new HashSet<>();

    SeekingConsumer(
            ReaderPlan plan, String bootstrap, long seed, Findings findings, Unsettled unsettled, ReadCounts counts) {
        super(plan.name(), findings);
        this.plan = plan;
        this.findings = findings;
        this.counts = counts;
        random = new Random(seed ^ plan.name().hashCode());
        boolean resetsToEnd = plan.reset().equals(ReaderPlan.LATEST);
        plan.logs()
                .forEach(log -> checks.put(
                        log.partition(),
                        new ReadCheck(
                                plan.name(), plan.readCommitted(), resetsToEnd, log, findings, unsettled, counts)));
        consumer = new KafkaConsumer<>(
                plan.settings(bootstrap, random), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    @Override
    void work() {
        try {
            assignSome();
            while (!isStopped()) {
                move();
                for (int i = random.nextInt(MOST_POLLS); i >= 0 && !isStopped(); i--) {
                    poll();
                }
                LockSupport.parkNanos(
                        Duration.ofMillis(random.nextInt(PAUSE_MS)).toNanos());
            }
        } finally {
            consumer.close(CloseOptions.timeout(Duration.ofSeconds(1)));
        }
    }

    private void assignSome() {
        List<TopicPartition> some = new ArrayList<>(checks.keySet());
        Collections.shuffle(some, random);
        some = some.subList(0, 1 + random.nextInt(some.size()));
        beyond.clear();
        consumer.assign(some);
        some.forEach(this::seekSomewhere);
    }

    private void move() {
        List<TopicPartition> assigned = List.copyOf(consumer.assignment());
        TopicPartition partition = assigned.get(random.nextInt(assigned.size()));
        switch (random.nextInt(16)) {
            case 0 -> assignSome();
            case 1 -> {
                consumer.seekToBeginning(List.of(partition));
                found(partition);
            }
            case 2, 3 -> {
                consumer.seekToEnd(List.of(partition));
                found(partition);
            }
            case 4, 5 -> seek(partition, Math.max(0, log(partition).knownStart() - 1 - random.nextInt(300)));
            case 6 -> {
                beyond.add(partition);
                consumer.seek(partition, BEYOND + random.nextInt(1000));
                checks.get(partition).positioned(ReadCheck.UNKNOWN);
            }
            case 7, 8 -> {
                if (consumer.paused().isEmpty()) {
                    consumer.pause(List.of(partition));
                } else {
                    consumer.resume(consumer.paused());
                }
            }
            default -> seekSomewhere(partition);
        }
        counts.seek();
    }

    private WrittenLog log(TopicPartition partition) {
        return checks.get(partition).log();
    }

    /** Handles the beginning or end that the broker reports. */
    private void found(TopicPartition partition) {
        beyond.remove(partition);
        checks.get(partition).positioned(consumer.position(partition));
    }

    /** Seeks anywhere, and often near the end of the readable part. */
    private void seekSomewhere(TopicPartition partition) {
        WrittenLog log = log(partition);
        long end = Math.min(log.end(), log.watermark());
        long length = Math.max(1, end - log.knownStart());
        boolean held = end < log.end();
        long offset = held || random.nextInt(3) == 0
                ? Math.min(log.end(), end + 10 - random.nextLong(Math.min(length, 100) + 10))
                : log.knownStart() + random.nextLong(length);
        seek(partition, Math.max(0, offset));
    }

    private void seek(TopicPartition partition, long offset) {
        beyond.remove(partition);
        if (random.nextBoolean()) {
            consumer.seek(partition, offset);
        } else {
            consumer.seek(partition, new OffsetAndMetadata(offset));
        }
        checks.get(partition).positioned(offset);
    }

    private void poll() {
        Set<TopicPartition> paused = Set.copyOf(consumer.paused());
        try {
            judge(consumer.poll(POLL), paused);
        } catch (OffsetOutOfRangeException e) {
            e.offsetOutOfRangePartitions().forEach((partition, offset) -> {
                checks.get(partition).outOfRange(offset, beyond.contains(partition));
                seekSomewhere(partition);
            });
        }
    }

    private void judge(ConsumerRecords<byte[], byte[]> records, Set<TopicPartition> paused) {
        long polledNs = System.nanoTime();
        records.nextOffsets().forEach((partition, next) -> {
            if (paused.contains(partition)) {
                findings.add("%s: records of %s, which is paused", plan.name(), partition);
            }
            beyond.remove(partition);
            checks.get(partition).delivered(records.records(partition), next.offset(), polledNs);
        });
    }
}
