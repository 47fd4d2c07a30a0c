// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.slot.SlotView;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;

/**
 * Contract for the data that readers need besides the bytes of segments: aborted transactions, and the effects of the
 * log cleaner. Answers are compared with the broker's own.
 */
public abstract class BrokerSegmentsContract extends BrokerReadsHarness {
    private static final Map<String, String> SMALL_SEGMENTS = Map.of("segment.bytes", Integer.toString(MIB));

    /** Number of records and markers of {@link #transactions}. */
    private long appended;

    @Test
    void shouldListAbortedTransactionsAsTheBrokerDoes() throws Exception {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        String topic = create(Map.of("segment.bytes", Integer.toString(MIB), "index.interval.bytes", "60000"));
        transactions(topic, random);
        assertThat(segmentCount(topic)).isGreaterThan(2);
        SlotReader any = reader(topic, 0);
        any.step();
        long stable = any.slot().lastStableOffset();
        assertThat(stable).as("a transaction is open").isLessThan(endOffset(topic));
        assertThat(any.slot().mayHoldAbortedTransactions()).isTrue();
        int listed = 0;
        for (int i = 0; i < 250; i++) {
            listed += assertListedAsByTheBroker(any, random.nextLong(stable), 1 << random.nextInt(6, 21), stable, seed);
        }
        // Reads of one batch each end at the positions of the offset index's entries.
        for (long offset = 0; offset < stable; offset++) {
            listed += assertListedAsByTheBroker(any, offset, 1, stable, seed);
        }
        assertThat(listed).as("seed %d", seed).isPositive();
    }

    private int assertListedAsByTheBroker(SlotReader any, long offset, int maxBytes, long stable, long seed)
            throws Exception {
        BrokerUnderTest.LogRead read = broker.read(any.topic(), offset, maxBytes, true);
        ControlResponse.Locate located = any.locate(offset, -1, -1);
        String what = "seed " + seed + ", offset " + offset + ", " + maxBytes + " bytes";
        assertThat(located.segmentBaseOffset()).as(what).isEqualTo(read.segmentBaseOffset());
        assertThat(located.position()).as(what).isEqualTo(read.position());
        ControlResponse.ListAborted answer = link.listAborted(session(ADMIN), located, offset);
        assertThat(answer.error()).as(what).isEqualTo(ControlError.NONE);
        assertThat(answer.whole()).isTrue();
        assertThat(answer.completeTo()).isGreaterThanOrEqualTo(stable);
        assertThat(answer.abortedCount()).isEqualTo(any.slotOf(located).abortedCount());
        int end = read.position() + read.bytes();
        assertThat(answer.transactions().stream()
                        .filter(each -> each.lastOffset() >= offset && each.listedFromBytes() < end)
                        .map(each -> each.producerId() + "@" + each.firstOffset()))
                .as(what)
                .isEqualTo(read.aborted());
        return read.aborted().size();
    }

    /**
     * Writes more than two segments: three producers with overlapping transactions, and a fourth without. One
     * transaction stays open.
     */
    private void transactions(String topic, SplittableRandom random) throws Exception {
        List<Producer<byte[], byte[]>> producers = new ArrayList<>();
        appended = 0;
        boolean[] open = new boolean[3];
        try (Producer<byte[], byte[]> plain = producer(Map.of())) {
            for (int p = 0; p < 3; p++) {
                producers.add(producer(Map.of("transactional.id", topic + "-" + p)));
                producers.get(p).initTransactions();
            }
            for (int i = 0; i < 250; i++) {
                int p = random.nextInt(3);
                if (!open[p]) {
                    producers.get(p).beginTransaction();
                    open[p] = true;
                }
                send(producers.get(p), topic, random.nextInt(1, 24_000));
                if (random.nextInt(3) == 0) {
                    send(plain, topic, random.nextInt(1, 24_000));
                }
                if (random.nextInt(4) == 0) {
                    end(producers.get(p), random.nextInt(3) == 0);
                    open[p] = false;
                }
            }
            for (int p = 0; p < 3; p++) {
                if (open[p]) {
                    end(producers.get(p), p == 1);
                }
            }
            producers.get(0).beginTransaction();
            send(producers.get(0), topic, 100);
            send(plain, topic, 100);
            producers.get(1).beginTransaction();
            send(producers.get(1), topic, 100);
            end(producers.get(1), false);
        } finally {
            // Do not end the open transaction.
            producers.forEach(producer -> producer.close(java.time.Duration.ZERO));
        }
        // The producers are answered before the markers are written.
        awaitWithin(() -> endOffset(topic) == appended);
    }

    private void send(Producer<byte[], byte[]> producer, String topic, int bytes) throws Exception {
        appended++;
        producer.send(new ProducerRecord<>(topic, new byte[bytes])).get(10, TimeUnit.SECONDS);
    }

    private void end(Producer<byte[], byte[]> producer, boolean commit) {
        appended++;
        if (commit) {
            producer.commitTransaction();
        } else {
            producer.abortTransaction();
        }
    }

    @Test
    void shouldTellOfAnAbortBeforeTheStableOffsetPassesIt() throws Exception {
        String topic = create(Map.of());
        SlotReader reader = reader(topic, 0);
        reader.step();
        try (Producer<byte[], byte[]> producer = producer(Map.of("transactional.id", topic))) {
            producer.initTransactions();
            for (int round = 1; round < 10; round++) {
                producer.beginTransaction();
                send(producer, topic, 10);
                producer.abortTransaction();
                long stable = 2L * round;
                int count = round;
                awaitWithin(() -> {
                    SlotView slot = reader.slot();
                    assertThat(slot.lastStableOffset() == stable && slot.abortedCount() < count)
                            .as("stable beyond the abort, not counted")
                            .isFalse();
                    return slot.lastStableOffset() == stable;
                });
                assertThat(reader.slot().abortedCount()).isEqualTo(count);
            }
        }
        ControlResponse.ListAborted answer = link.listAborted(session(ADMIN), reader.located, 5);
        assertThat(answer.transactions()).extracting("firstOffset").containsExactly(4L, 6L, 8L, 10L, 12L, 14L, 16L);
        assertThat(answer.completeTo()).isEqualTo(18);
    }

    @Test
    void shouldRevokeWhenTheCleanerSwapsAndThenServeWhatItLeft() throws Exception {
        String topic = compacted(Map.of());
        keyed(topic, 20, 40);
        SlotReader before = reader(topic, 0);
        before.step();
        assertThat(before.located.sealedBytes()).isPositive();
        ControlResponse.Locate old = before.located;
        alter(topic, "min.cleanable.dirty.ratio", "0.01");
        awaitWithin(
                () -> link.slot(old.slot()).isRevoked() || link.slot(old.slot()).generation() != old.generation());
        awaitWithin(() -> isClean(topic));

        long end = endOffset(topic);
        int gaps = 0;
        for (long offset = 0; offset < end; offset++) {
            BrokerUnderTest.LogRead read = broker.read(topic, offset, 1, false);
            ControlResponse.Locate located = before.locate(offset, -1, -1);
            assertThat(located.error())
                    .as("offset %d: %s", offset, located.message())
                    .isEqualTo(ControlError.NONE);
            assertThat(located.segmentBaseOffset()).as("offset %d", offset).isEqualTo(read.segmentBaseOffset());
            assertThat(located.position()).as("offset %d", offset).isEqualTo(read.position());
            if (located.sealedBytes() >= 0) {
                assertThat((long) located.sealedBytes())
                        .isEqualTo(Files.size(segment(topic, located.segmentBaseOffset())));
                gaps++;
            }
        }
        assertThat(gaps).isPositive();
        SlotReader all = reader(topic, 0).withGaps();
        readTo(all, end);
        assertThat(all.bytes()).isEqualTo(allSegmentBytes(topic));
    }

    @Test
    void shouldReadOnWhileTheCleanerSwapsAgainAndAgain() throws Exception {
        String topic = compacted(Map.of("min.cleanable.dirty.ratio", "0.01"));
        Thread writer = new Thread(() -> {
            try {
                for (int round = 0; round < 6; round++) {
                    keyed(topic, 10, 20);
                }
            } catch (Exception failure) {
                throw new AssertionError(failure);
            }
        });
        writer.start();
        SplittableRandom random = new SplittableRandom(7);
        while (writer.isAlive()) {
            long end = endOffset(topic);
            SlotReader reader = reader(topic, random.nextLong(end + 1)).withGaps();
            readTo(reader, end);
        }
        writer.join(TimeUnit.SECONDS.toMillis(20));
        awaitWithin(() -> isClean(topic));
        SlotReader all = reader(topic, 0).withGaps();
        readTo(all, endOffset(topic));
        assertThat(all.bytes()).isEqualTo(allSegmentBytes(topic));
    }

    @Test
    void shouldGoOnServingATopicThatBecomesCompactedAndIsNoLonger() throws Exception {
        String topic = create(SMALL_SEGMENTS);
        keyed(topic, 5, 10);
        SlotReader reader = reader(topic, 0);
        readTo(reader, endOffset(topic));
        for (String policy : List.of("compact", "delete", "compact,delete")) {
            alter(topic, "cleanup.policy", policy);
            keyed(topic, 5, 10);
            SlotReader all = reader(topic, 0).withGaps();
            readTo(all, endOffset(topic));
        }
    }

    private String compacted(Map<String, String> more) throws Exception {
        Map<String, String> configs = new java.util.HashMap<>(SMALL_SEGMENTS);
        configs.put("cleanup.policy", "compact");
        configs.put("min.cleanable.dirty.ratio", "1");
        configs.putAll(more);
        return create(configs);
    }

    /** Writes each key that many times; a record has about 5 KB. */
    private void keyed(String topic, int keys, int times) throws Exception {
        SplittableRandom random = new SplittableRandom(keys * 31L + times);
        try (Producer<byte[], byte[]> producer = producer(Map.of("linger.ms", "0"))) {
            for (int i = 0; i < keys * times; i++) {
                byte[] key = {(byte) random.nextInt(keys)};
                var sent = producer.send(new ProducerRecord<>(topic, key, new byte[random.nextInt(10, 10_000)]));
                if (i == keys * times - 1) {
                    sent.get(10, TimeUnit.SECONDS);
                }
            }
        }
    }

    private void alter(String topic, String key, String value) throws Exception {
        AlterConfigOp op = new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET);
        admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.TOPIC, topic), List.of(op)))
                .all()
                .get(10, TimeUnit.SECONDS);
    }

    private Path segment(String topic, long baseOffset) {
        return directory(topic, 0).resolve(String.format("%020d.log", baseOffset));
    }

    /**
     * Returns whether the cleaner has swapped each segment but the active one. Each had nearly a MiB; the last values
     * of the keys are far smaller.
     */
    private boolean isClean(String topic) throws Exception {
        List<Path> files = segmentFiles(topic);
        long sealedBytes = 0;
        try {
            for (Path file : files.subList(0, files.size() - 1)) {
                sealedBytes += Files.size(file);
            }
        } catch (NoSuchFileException e) {
            return false; // The cleaner is at work.
        }
        return sealedBytes < MIB / 2;
    }
}
