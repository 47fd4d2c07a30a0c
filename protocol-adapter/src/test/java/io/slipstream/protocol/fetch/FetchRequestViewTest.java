// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.protocol.Allocation;
import io.slipstream.protocol.KafkaFrames;
import io.slipstream.protocol.Seeds;
import io.slipstream.protocol.wire.RequestHeaderView;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchPartition;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.message.FetchRequestData.ReplicaState;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;

class FetchRequestViewTest {
    private final RequestHeaderView header = new RequestHeaderView();
    private final FetchRequestView view = new FetchRequestView();

    private boolean wrap(ByteBuffer frame) {
        assertThat(header.wrap(frame)).isTrue();
        return view.wrap(frame, header.bodyPosition, header.apiVersion);
    }

    @Test
    void shouldReadEveryVersionAsKafkaDoes() {
        Random random = Seeds.random("FetchRequestViewTest");
        for (short version = 4; version <= ApiKeys.FETCH.latestVersion(); version++) {
            for (int round = 0; round < 60; round++) {
                ByteBuffer frame =
                        KafkaFrames.request(ApiKeys.FETCH, version, round, "client", request(random, version));
                assertThat(wrap(frame)).as("version %d", version).isTrue();
                expectSame(read(frame, version), version);
            }
        }
    }

    /** A broker reads the value and ignores the size: it would read other fields than the view from there on. */
    @Test
    void shouldLeaveAKnownTagOfAnotherSizeThanItsValueToTheBroker() {
        short newest = ApiKeys.FETCH.latestVersion();
        FetchPartition follower = new FetchPartition().setReplicaDirectoryId(new Uuid(0x1111111111111111L, 2));
        FetchRequestData[] tagged = {
            new FetchRequestData().setClusterId("cluster"),
            new FetchRequestData().setReplicaState(new ReplicaState().setReplicaId(0x22222222)),
            new FetchRequestData()
                    .setTopics(java.util.List.of(new FetchTopic().setPartitions(java.util.List.of(follower))))
        };
        byte[] firstOfValue = {8, 0x22, 0x11};
        for (int i = 0; i < tagged.length; i++) {
            ByteBuffer frame = KafkaFrames.request(ApiKeys.FETCH, newest, 9, "client", tagged[i]);
            assertThat(wrap(frame)).as("case %d", i).isTrue();
            int value = frame.limit() - 1;
            while (frame.get(value - 1) == firstOfValue[i] || frame.get(value) != firstOfValue[i]) {
                value--;
            }
            frame.put(value - 1, (byte) (frame.get(value - 1) - 1));
            assertThat(wrap(frame)).as("case %d", i).isFalse();
        }
    }

    /** A broker rejects it and closes the connection. */
    @Test
    void shouldLeaveATagOfALaterVersionToTheBroker() {
        FetchPartition follower = new FetchPartition().setReplicaDirectoryId(new Uuid(1, 2));
        FetchRequestData[] tagged = {
            new FetchRequestData().setReplicaState(new ReplicaState().setReplicaId(5)),
            new FetchRequestData()
                    .setTopics(java.util.List.of(new FetchTopic().setPartitions(java.util.List.of(follower))))
        };
        int[] first = {15, 17};
        for (int i = 0; i < tagged.length; i++) {
            ByteBuffer frame = KafkaFrames.request(ApiKeys.FETCH, (short) first[i], 9, "client", tagged[i]);
            assertThat(wrap(frame)).as("case %d", i).isTrue();
            header.wrap(frame);
            // Version 16 has the fields of 15 and 17; version 14 has one more, the replica's id.
            ByteBuffer older = ByteBuffer.allocate(frame.limit() + 4);
            older.put(frame.duplicate().limit(header.bodyPosition));
            older.putShort(2, (short) (first[i] - 1));
            if (i == 0) {
                older.putInt(-1);
            }
            older.put(frame.duplicate().position(header.bodyPosition)).flip();
            assertThat(wrap(older)).as("case %d", i).isFalse();
        }
    }

    @Test
    void shouldPatchTheSessionAndNothingElse() {
        Random random = Seeds.random("shouldPatchTheSessionAndNothingElse");
        for (short version = 4; version <= ApiKeys.FETCH.latestVersion(); version++) {
            ByteBuffer frame = KafkaFrames.request(ApiKeys.FETCH, version, 9, "client", request(random, version));
            FetchRequestData expected = read(frame, version);
            header.wrap(frame);
            assertThat(SessionlessFetch.patch(frame, header.bodyPosition, version))
                    .isEqualTo(version >= 7);
            if (version >= 7) {
                expected.setSessionId(0).setSessionEpoch(-1);
            }
            assertThat(read(frame, version)).isEqualTo(expected);
            assertThat(wrap(frame)).isTrue();
            assertThat(view.session()).isEqualTo(FetchSession.SESSIONLESS);
        }
        assertThat(SessionlessFetch.patch(ByteBuffer.allocate(24), 10, (short) 7))
                .isFalse();
        assertThat(SessionlessFetch.patch(ByteBuffer.allocate(99), 10, (short) 19))
                .isFalse();
        assertThat(SessionlessFetch.patch(ByteBuffer.allocate(99), -1, (short) 12))
                .isFalse();
    }

    @Test
    void shouldTellWhatTheClientWantsOfSessions() {
        assertThat(FetchSession.of(0, -1)).isEqualTo(FetchSession.SESSIONLESS);
        assertThat(FetchSession.of(0, 0)).isEqualTo(FetchSession.OPENING);
        assertThat(FetchSession.of(8, 0)).isEqualTo(FetchSession.OPENING);
        assertThat(FetchSession.of(8, -1)).isEqualTo(FetchSession.CLOSING);
        assertThat(FetchSession.of(8, 3)).isEqualTo(FetchSession.INCREMENTAL);
        assertThat(FetchSession.of(0, 3)).isEqualTo(FetchSession.INCREMENTAL);
        assertThat(FetchSession.of(8, -2)).isEqualTo(FetchSession.INCREMENTAL);
        assertThat(FetchSession.INCREMENTAL.isFull()).isFalse();
        assertThat(FetchSession.CLOSING.isFull()).isTrue();
    }

    @Test
    void shouldRefuseTruncationsAndSurviveAnyBytes() {
        Random random = Seeds.random("shouldRefuseTruncationsAndSurviveAnyBytes");
        for (short version = 4; version <= 18; version++) {
            ByteBuffer frame = KafkaFrames.request(ApiKeys.FETCH, version, 9, "c", request(random, version));
            for (int limit = 8; limit < frame.limit(); limit++) {
                assertThat(wrap(frame.duplicate().limit(limit))).isFalse();
            }
            byte[] bytes = Utils.toArray(frame);
            for (int i = 0; i < 3_000; i++) {
                ByteBuffer mutant = ByteBuffer.wrap(bytes.clone());
                for (int n = random.nextInt(4); n >= 0; n--) {
                    mutant.put(8 + random.nextInt(bytes.length - 8), (byte) random.nextInt());
                }
                if (wrap(mutant)) {
                    assertThat(view.partitions.count).isLessThan(bytes.length);
                    for (int t = 0; t < view.partitions.topicCount; t++) {
                        topicName(view.partitions, t);
                        topicId(view.partitions, t);
                    }
                }
            }
        }
        assertThat(view.wrap(ByteBuffer.allocate(50), 10, (short) 3)).isFalse();
        assertThat(view.wrap(ByteBuffer.allocate(50), 10, (short) 19)).isFalse();
    }

    @Test
    void shouldNotAllocateOnceGrown() {
        ByteBuffer frame = KafkaFrames.request(ApiKeys.FETCH, (short) 13, 9, "c", request(new Random(1), (short) 13));
        Runnable walks = () -> {
            for (int i = 0; i < 1_000; i++) {
                header.wrap(frame);
                view.wrap(frame, header.bodyPosition, header.apiVersion);
            }
        };
        walks.run();
        assertThat(Allocation.bytesOf(walks)).isLessThan(1_000);
    }

    private void expectSame(FetchRequestData data, short version) {
        assertThat(view.version).isEqualTo(version);
        assertThat(view.replicaId)
                .isEqualTo(
                        version <= 14 ? data.replicaId() : data.replicaState().replicaId());
        assertThat(view.maxWaitMs).isEqualTo(data.maxWaitMs());
        assertThat(view.minBytes).isEqualTo(data.minBytes());
        assertThat(view.maxBytes).isEqualTo(data.maxBytes());
        assertThat(view.isolationLevel).isEqualTo(data.isolationLevel());
        assertThat(view.sessionId).isEqualTo(data.sessionId());
        assertThat(view.sessionEpoch).isEqualTo(data.sessionEpoch());
        assertThat(view.rackLength).isEqualTo(Utils.utf8(data.rackId()).length);
        assertThat(view.hasRack()).isEqualTo(!data.rackId().isEmpty());
        assertThat(view.forgottenPartitions)
                .isEqualTo(data.forgottenTopicsData().stream()
                        .mapToInt(topic -> topic.partitions().size())
                        .sum());
        assertThat(view.partitions.topicCount).isEqualTo(data.topics().size());
        int entry = 0;
        for (int t = 0; t < view.partitions.topicCount; t++) {
            FetchTopic topic = data.topics().get(t);
            assertThat(topicId(view.partitions, t)).isEqualTo(topic.topicId());
            assertThat(topicName(view.partitions, t)).isEqualTo(version >= 13 ? null : topic.topic());
            for (FetchPartition partition : topic.partitions()) {
                assertThat(view.partitions.topicOf(entry)).isEqualTo(t);
                assertThat(view.partitions.partition(entry)).isEqualTo(partition.partition());
                assertThat(view.partitions.currentLeaderEpoch(entry)).isEqualTo(partition.currentLeaderEpoch());
                assertThat(view.partitions.fetchOffset(entry)).isEqualTo(partition.fetchOffset());
                assertThat(view.partitions.lastFetchedEpoch(entry)).isEqualTo(partition.lastFetchedEpoch());
                assertThat(view.partitions.logStartOffset(entry)).isEqualTo(partition.logStartOffset());
                assertThat(view.partitions.maxBytes(entry)).isEqualTo(partition.partitionMaxBytes());
                entry++;
            }
        }
        assertThat(view.partitions.count).isEqualTo(entry);
    }

    private static FetchRequestData read(ByteBuffer frame, short version) {
        ByteBufferAccessor in = new ByteBufferAccessor(frame.duplicate());
        new RequestHeaderData(in, ApiKeys.FETCH.requestHeaderVersion(version));
        return new FetchRequestData(in, version);
    }

    private static FetchRequestData request(Random random, short version) {
        FetchRequestData data = new FetchRequestData()
                .setMaxWaitMs(random.nextInt())
                .setMinBytes(random.nextInt())
                .setMaxBytes(random.nextInt())
                .setIsolationLevel((byte) random.nextInt(2))
                .setSessionId(random.nextInt())
                .setSessionEpoch(random.nextInt())
                .setRackId("r".repeat(random.nextInt(3)));
        int replicaId = random.nextInt(4) - 2;
        if (version <= 14) {
            data.setReplicaId(replicaId);
        } else {
            data.setReplicaState(new ReplicaState().setReplicaId(replicaId).setReplicaEpoch(random.nextInt(2)));
        }
        if (random.nextBoolean()) {
            data.setClusterId("cluster");
        }
        for (int t = 0; t <= random.nextInt(12); t++) {
            FetchTopic topic = new FetchTopic().setTopic("topic-" + t).setTopicId(new Uuid(random.nextLong(), t));
            for (int p = 0; p < random.nextInt(30); p++) {
                FetchPartition partition = new FetchPartition()
                        .setPartition(p)
                        .setFetchOffset(random.nextLong())
                        .setCurrentLeaderEpoch(random.nextInt())
                        .setLogStartOffset(random.nextLong())
                        .setPartitionMaxBytes(random.nextInt());
                if (version >= 12) {
                    partition.setLastFetchedEpoch(random.nextInt());
                }
                if (version >= 17) {
                    partition.setReplicaDirectoryId(new Uuid(1, 2));
                }
                topic.partitions().add(partition);
            }
            data.topics().add(topic);
        }
        for (int t = 0; version >= 7 && t < random.nextInt(3); t++) {
            ForgottenTopic topic = new ForgottenTopic().setTopic("gone-" + t).setTopicId(new Uuid(9, t));
            for (int p = 0; p < random.nextInt(4); p++) {
                topic.partitions().add(p);
            }
            data.forgottenTopicsData().add(topic);
        }
        return data;
    }

    static Uuid topicId(FetchPartitions partitions, int topic) {
        return new Uuid(partitions.topicIdHigh(topic), partitions.topicIdLow(topic));
    }

    static String topicName(FetchPartitions partitions, int topic) {
        int length = partitions.topicNameLength(topic);
        if (length < 0) {
            return null;
        }
        byte[] bytes = new byte[length];
        partitions.names.get(partitions.topicNamePosition(topic), bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
