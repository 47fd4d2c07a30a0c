// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.broker.session.BoundSession;
import io.slipstream.broker.session.ObservedConnection;
import io.slipstream.broker.session.SessionLifetime;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlRequest.PartitionReads;
import io.slipstream.protocol.control.ControlRequest.SessionReads;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.slot.SlotView;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;

/**
 * Contract of every line's adapter, against a real broker of that line in this JVM. Stock clients write over TCP. A
 * reader that knows only the protocol reads slots and segment files. All cases share one class because the start of a
 * broker takes most of the time.
 */
public abstract class BrokerReadsContract extends BrokerReadsHarness {
    @Test
    void shouldFindEveryOffsetAndReadTheFilesBytes() throws Exception {
        String topic = create(Map.of());
        produce(topic, 50, 100);

        SlotReader all = reader(topic, 0);
        readTo(all, 50);
        assertThat(all.located.topicId()).isEqualTo(topicId(topic));
        assertThat(all.bytes()).isEqualTo(segmentBytes(topic, 0));
        assertThat(all.slot().highWatermark()).isEqualTo(endOffset(topic));

        for (long[] batch : all.batches) {
            for (long offset = batch[0]; offset <= batch[1]; offset++) {
                SlotReader one = reader(topic, offset);
                readTo(one, offset + 1);
                assertThat(one.batches.get(0)).as("batch of offset %d", offset).containsExactly(batch);
            }
        }
    }

    @Test
    void shouldMoveTheSlotAndRingWhenMoreIsProduced() throws Exception {
        String topic = create(Map.of());
        SlotReader reader = reader(topic, 0);
        assertThat(reader.step()).as("nothing yet").isFalse();
        link.arm(reader.located.slot());

        produce(topic, 1, 100);

        assertThat(reader.slot().highWatermark())
                .as("visible when the producer has its answer")
                .isEqualTo(1);
        assertThat(doorbells).hasValue(1);
        readTo(reader, 1);
    }

    @Test
    void shouldFollowTheLogThroughRollsWhileItIsWritten() throws Exception {
        long seed = Long.getLong("slipstream.seed", System.nanoTime());
        String topic = create(Map.of("segment.bytes", Integer.toString(MIB)));
        int records = 600;
        Thread writer = new Thread(() -> {
            SplittableRandom random = new SplittableRandom(seed);
            try (Producer<byte[], byte[]> producer = producer(Map.of("linger.ms", "0"))) {
                for (int i = 0; i < records; i++) {
                    producer.send(new ProducerRecord<>(topic, new byte[random.nextInt(1, 20_000)]));
                }
            }
        });
        writer.start();
        SlotReader reader = reader(topic, 0);
        readTo(reader, records);
        writer.join(TimeUnit.SECONDS.toMillis(20));

        assertThat(segmentCount(topic)).as("rolled, seed %d", seed).isGreaterThan(3);
        assertThat(reader.batches.get(0)[0]).isZero();
        assertThat(endOffset(topic)).isEqualTo(records);
        assertThat(reader.bytes()).isEqualTo(allSegmentBytes(topic));
    }

    @Test
    void shouldAnswerTheEndOfASealedSegmentWithTheNextOne() throws Exception {
        String topic = create(Map.of("segment.bytes", Integer.toString(MIB)));
        produce(topic, 5, 400_000);
        SlotReader reader = reader(topic, 0);
        readTo(reader, 5);
        long secondBase = 2; // two records of 400 000 bytes fit into a segment
        assertThat(reader.locate(secondBase - 1, -1, -1).sealedBytes()).isPositive();
        assertThat(reader.locate(secondBase, -1, -1).segmentBaseOffset()).isEqualTo(secondBase);
        assertThat(reader.locate(secondBase, -1, -1).position()).isZero();
        assertThat(reader.locate(5, -1, -1).sealedBytes()).as("active").isEqualTo(-1);
        assertThat(reader.slot().segmentBaseOffset()).isEqualTo(4);
    }

    @Test
    void shouldRefuseWhatTheBrokerWouldAnswerWithAnError() throws Exception {
        String topic = create(Map.of());
        produce(topic, 3, 100);
        SlotReader reader = reader(topic, 0);

        assertThat(reader.locate(3, -1, -1).error()).isEqualTo(ControlError.NONE);
        assertThat(reader.locate(4, -1, -1).error())
                .as("above the high watermark")
                .isEqualTo(ControlError.NOT_READABLE);
        assertThat(reader.locate(-1, -1, -1).error()).as("below the log start").isEqualTo(ControlError.NOT_READABLE);
        int epoch = reader.slotOf(reader.locate(0, -1, -1)).leaderEpoch();
        assertThat(reader.locate(0, epoch, -1).error()).isEqualTo(ControlError.NONE);
        assertThat(reader.locate(0, epoch + 1, -1).error()).as("unknown epoch").isEqualTo(ControlError.NOT_READABLE);
        assertThat(reader.locate(3, epoch, epoch).error()).isEqualTo(ControlError.NONE);
        assertThat(reader.locate(0, epoch, epoch + 5).error()).as("diverging").isEqualTo(ControlError.NOT_READABLE);
        assertThat(reader(ADMIN, "no-such-topic", Uuid.ZERO_UUID, 0).locate().error())
                .isEqualTo(ControlError.NOT_READABLE);
        assertThat(reader(ADMIN, "", Uuid.randomUuid(), 0).locate().error()).isEqualTo(ControlError.NOT_READABLE);
    }

    @Test
    void shouldShowDeletedRecordsInTheSlot() throws Exception {
        String topic = create(Map.of("segment.bytes", Integer.toString(MIB)));
        produce(topic, 5, 400_000);
        SlotReader reader = reader(topic, 0);
        readTo(reader, 1);

        admin.deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(3)))
                .all()
                .get(10, TimeUnit.SECONDS);

        awaitWithin(() -> reader.slotOf(reader.locate(5, -1, -1)).logStartOffset() == 3);
        assertThat(reader.locate(2, -1, -1).error()).isEqualTo(ControlError.NOT_READABLE);
        assertThat(reader.locate(3, -1, -1).error()).isEqualTo(ControlError.NONE);
    }

    @Test
    void shouldRevokeADeletedTopicAndNotServeItsSuccessorByTheOldId() throws Exception {
        String topic = create(Map.of());
        produce(topic, 1, 100);
        Uuid oldId = topicId(topic);
        SlotReader reader = reader(ADMIN, topic, oldId, 0);
        readTo(reader, 1);
        int slot = reader.located.slot();

        admin.deleteTopics(List.of(topic)).all().get(10, TimeUnit.SECONDS);
        awaitWithin(() -> link.slot(slot).isRevoked());
        assertThat(reader.locate().error()).isEqualTo(ControlError.NOT_READABLE);
        awaitWithin(() -> reads.registeredBytes() == 0);

        create(topic, Map.of());
        produce(topic, 2, 100);
        assertThat(reader.locate().error()).as("by the old id").isEqualTo(ControlError.NOT_READABLE);
        SlotReader byName = reader(ADMIN, topic, Uuid.ZERO_UUID, 0);
        readTo(byName, 2);
        assertThat(byName.located.topicId()).isNotEqualTo(oldId);
    }

    @Test
    void shouldHoldTheStableOffsetWhileATransactionIsOpenAndFlagAborts() throws Exception {
        String topic = create(Map.of());
        SlotReader reader = reader(topic, 0);
        reader.step();
        try (Producer<byte[], byte[]> producer = producer(Map.of("transactional.id", topic))) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(topic, new byte[10])).get(10, TimeUnit.SECONDS);
            SlotView open = reader.slot();
            assertThat(open.highWatermark()).isEqualTo(1);
            assertThat(open.lastStableOffset()).isZero();

            producer.commitTransaction();
            awaitWithin(() -> reader.slot().lastStableOffset() == 2);
            assertThat(reader.slot().mayHoldAbortedTransactions()).isFalse();

            producer.beginTransaction();
            producer.send(new ProducerRecord<>(topic, new byte[10])).get(10, TimeUnit.SECONDS);
            producer.abortTransaction();
            awaitWithin(() -> {
                SlotView slot = reader.slot();
                assertThat(slot.lastStableOffset() > 2 && !slot.mayHoldAbortedTransactions())
                        .as("stable beyond the abort, unflagged")
                        .isFalse();
                return slot.lastStableOffset() == 4;
            });
            assertThat(reader.slot().mayHoldAbortedTransactions()).isTrue();
        }
        closeLink();
        openLink();
        SlotReader later = reader(topic, 0);
        later.step();
        assertThat(later.slot().mayHoldAbortedTransactions())
                .as("found in the index")
                .isTrue();
    }

    @Test
    void shouldGrantOnlyWhatThePrincipalMayReadAndAsLongAsItMay() throws Exception {
        String topic = create(Map.of());
        SlotReader reader = reader("eve", topic, Uuid.ZERO_UUID, 0);
        assertThat(reader.locate().error()).isEqualTo(ControlError.NOT_READABLE);

        AclBinding acl = new AclBinding(
                new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
                new AccessControlEntry("User:eve", "*", AclOperation.READ, AclPermissionType.ALLOW));
        admin.createAcls(List.of(acl)).all().get(10, TimeUnit.SECONDS);
        awaitWithin(() -> reader.locate().error() == ControlError.NONE);
        reader.step();

        admin.deleteAcls(List.of(acl.toFilter())).all().get(10, TimeUnit.SECONDS);
        awaitWithin(() -> reader.slot().isRevoked());
        assertThat(reader.locate().error()).isEqualTo(ControlError.NOT_READABLE);
    }

    @Test
    void shouldEnterReadsInTheBrokersMetrics() throws Exception {
        String topic = create(Map.of());
        ControlResponse.Locate granted = reader(topic, 0).locate();
        report(List.of(reads(granted, 7_000, 3)));
        report(List.of(reads(granted, 500, 1)));
        assertThat(JmxCount.of("BytesOutPerSec", topic)).isEqualTo(7_500);
        assertThat(JmxCount.of("TotalFetchRequestsPerSec", topic)).isEqualTo(4);
    }

    @Test
    void shouldNotReviveTheMetricsOfADeletedTopic() throws Exception {
        String topic = create(Map.of());
        ControlResponse.Locate granted = reader(topic, 0).locate();
        report(List.of(reads(granted, 7_000, 3)));
        admin.deleteTopics(List.of(topic)).all().get(10, TimeUnit.SECONDS);
        awaitWithin(() -> JmxCount.of("BytesOutPerSec", topic) < 0);
        report(List.of(reads(granted, 7_000, 3)));
        assertThat(JmxCount.of("BytesOutPerSec", topic)).as("not there").isNegative();
    }

    @Test
    void shouldServeUpToWhatTheBrokersQuotaLeavesAndChargeIt() throws Exception {
        SessionReads nothing = new SessionReads(ReadsFixture.session(1).sessionId, 0);
        assertThat(report(List.of(), nothing).limiting()).isFalse();
        limitConsumers(1_000_000.0);
        try {
            awaitWithin(() -> report(List.of(), nothing).limiting());
            // Kafka's own window: 11 samples of a second, of which the first may be partial.
            long whole = 16 * allowance(nothing);
            assertThat(whole).isBetween(9_000_000L, 10_000_000L);
            allowance(new SessionReads(nothing.sessionId(), 6_000_000));
            assertThat(2 * allowance(new SessionReads(nothing.sessionId(), 2_000_000)))
                    .as("of 2 MB left")
                    .isBetween(1_500_000L, 2_500_000L);
            assertThat(allowance(new SessionReads(nothing.sessionId(), 3_000_000)))
                    .isZero();
        } finally {
            limitConsumers(null);
        }
        awaitWithin(() -> !report(List.of(), nothing).limiting());
    }

    private static PartitionReads reads(ControlResponse.Locate granted, long recordBytes, int fetches) {
        return new PartitionReads(granted.slot(), granted.generation(), recordBytes, fetches);
    }

    private long allowance(SessionReads session) throws Exception {
        return report(List.of(), session).allowances().get(0).bytes();
    }

    private ControlResponse.ReportReads report(List<PartitionReads> slots, SessionReads... sessions) throws Exception {
        BoundSession session = new BoundSession(
                1,
                1,
                new ObservedConnection(
                        "connection-1", "", "PLAINTEXT", "User:alice", false, broker.requestContext(ADMIN)),
                SessionLifetime.UNLIMITED);
        ControlResponse.ReportReads answer = link.reads()
                .report(new ControlRequest.ReportReads(1, slots, List.of(sessions)), id -> session)
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS);
        assertThat(answer.error()).as("%s", answer).isEqualTo(ControlError.NONE);
        return answer;
    }

    private void limitConsumers(Double bytesPerSecond) throws Exception {
        ClientQuotaEntity everyClient =
                new ClientQuotaEntity(Collections.singletonMap(ClientQuotaEntity.CLIENT_ID, null));
        admin.alterClientQuotas(List.of(new ClientQuotaAlteration(
                        everyClient, List.of(new ClientQuotaAlteration.Op("consumer_byte_rate", bytesPerSecond)))))
                .all()
                .get(10, TimeUnit.SECONDS);
    }

    @Test
    void shouldFollowTheHighWatermarkOfReplicasAndRevokeWhenLeadershipMoves() throws Exception {
        AutoCloseable second = broker.startSecondBroker();
        try {
            String topic = "replicated-" + names.incrementAndGet();
            admin.createTopics(List.of(new NewTopic(topic, Map.of(0, List.of(1, 2)))))
                    .all()
                    .get(10, TimeUnit.SECONDS);
            awaitLeader(topic, 1);
            SlotReader reader = reader(topic, 0);
            assertThat(reader.step()).as("nothing yet").isFalse();
            // With acks=all the answer follows the follower's fetch, which moves the high watermark.
            produce(topic, 3, 100);
            assertThat(reader.slot().highWatermark()).isEqualTo(3);
            readTo(reader, 3);
            int slot = reader.located.slot();
            int epoch = link.slot(slot).leaderEpoch();

            moveLeadership(topic, 2, 1);
            assertThat(link.slot(slot).isRevoked()).isTrue();
            assertThat(reader.locate(3, -1, -1).error()).as("not the leader").isEqualTo(ControlError.NOT_READABLE);

            moveLeadership(topic, 1, 2);
            awaitWithin(() -> reader.locate(3, -1, -1).error() == ControlError.NONE);
            SlotView again = reader.slotOf(reader.locate(3, -1, -1));
            assertThat(again.leaderEpoch()).isGreaterThan(epoch);
            assertThat(reader.locate(3, epoch, -1).error()).as("fenced epoch").isEqualTo(ControlError.NOT_READABLE);
            produce(topic, 1, 100);
            readTo(reader, 4);
            admin.deleteTopics(List.of(topic)).all().get(10, TimeUnit.SECONDS);
        } finally {
            second.close();
        }
    }

    private void moveLeadership(String topic, int leader, int follower) throws Exception {
        TopicPartition partition = new TopicPartition(topic, 0);
        admin.alterPartitionReassignments(
                        Map.of(partition, Optional.of(new NewPartitionReassignment(List.of(leader, follower)))))
                .all()
                .get(10, TimeUnit.SECONDS);
        await().atMost(DEADLINE)
                .pollInterval(Duration.ofMillis(50))
                .ignoreExceptions()
                .until(() -> {
                    admin.electLeaders(ElectionType.PREFERRED, Set.of(partition))
                            .partitions()
                            .get(10, TimeUnit.SECONDS);
                    return true;
                });
        awaitLeader(topic, leader);
    }

    /** Waits until the broker leads the partition, both replicas are in sync, and the leader serves. */
    private void awaitLeader(String topic, int leader) {
        await().atMost(DEADLINE)
                .pollInterval(Duration.ofMillis(20))
                .ignoreExceptions()
                .until(() -> {
                    var partition = admin.describeTopics(List.of(topic))
                            .allTopicNames()
                            .get(10, TimeUnit.SECONDS)
                            .get(topic)
                            .partitions()
                            .get(0);
                    return partition.leader().id() == leader && partition.isr().size() == 2 && endOffset(topic) >= 0;
                });
    }
}
