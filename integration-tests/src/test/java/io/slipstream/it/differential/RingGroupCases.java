// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static org.apache.kafka.common.protocol.ApiKeys.CONSUMER_GROUP_HEARTBEAT;
import static org.apache.kafka.common.protocol.ApiKeys.HEARTBEAT;
import static org.apache.kafka.common.protocol.ApiKeys.JOIN_GROUP;
import static org.apache.kafka.common.protocol.ApiKeys.LEAVE_GROUP;
import static org.apache.kafka.common.protocol.ApiKeys.OFFSET_COMMIT;
import static org.apache.kafka.common.protocol.ApiKeys.OFFSET_FETCH;
import static org.apache.kafka.common.protocol.ApiKeys.SYNC_GROUP;
import static org.awaitility.Awaitility.await;

import io.slipstream.harness.raw.Coordinators;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawResponse;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.Patience;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FindCoordinatorRequest.CoordinatorType;

/** Consumer groups of both protocols, step by step, with requests of members, of past members and of nobody. */
final class RingGroupCases {
    private static final Duration PATIENCE = Patience.ofSeconds(20);
    private static final short OFFSETS_BY_TOPIC_ID = 10;

    private RingGroupCases() {}

    static List<Case> all() {
        return List.of(
                Case.of("ring-classic-group", RingGroupCases::classic)
                        .onlyByRdma(EnumSet.of(HEARTBEAT, OFFSET_COMMIT, OFFSET_FETCH, LEAVE_GROUP))
                        .inCore(),
                Case.of("ring-consumer-group", RingGroupCases::consumer)
                        .onlyByRdma(EnumSet.of(CONSUMER_GROUP_HEARTBEAT, OFFSET_COMMIT)),
                Case.of("ring-joins", RingGroupCases::joins)
                        .onlyByRdma(EnumSet.of(JOIN_GROUP, SYNC_GROUP))
                        .inCore(),
                Case.of("ring-answer-in-parts", RingGroupCases::inParts).onlyByRdma(EnumSet.of(OFFSET_FETCH)));
    }

    /** The answer to one request is larger than the reply ring. */
    private static void inParts(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 20);
        String group = "group-of-" + topic.name();
        RawClient client = arm.connect();
        OffsetCommitRequestTopic named = new OffsetCommitRequestTopic().setName(topic.name());
        for (int partition = 0; partition < 20; partition++) {
            named.partitions()
                    .add(new OffsetCommitRequestPartition()
                            .setPartitionIndex(partition)
                            .setCommittedOffset(partition)
                            .setCommittedMetadata("m".repeat(4_000)));
        }
        OffsetCommitRequestData commit =
                new OffsetCommitRequestData().setGroupId(group).setTopics(List.of(named));
        Coordinators.ask(
                client,
                CoordinatorType.GROUP,
                group,
                9,
                commit,
                OffsetCommitResponseData.class,
                answer -> answer.topics().get(0).partitions().get(0).errorCode() == Errors.NONE.code());
        arm.call(client, "small", fetchAll(group, 1));
        arm.call(client, "large", fetchAll(group, 60));
        arm.call(client, "small again", fetchAll(group, 1));
    }

    /** Asks for all offsets of the group, so many times in one request. */
    private static RequestFrame fetchAll(String group, int times) {
        OffsetFetchRequestData fetch = new OffsetFetchRequestData();
        for (int i = 0; i < times; i++) {
            fetch.groups().add(new OffsetFetchRequestGroup().setGroupId(group).setTopics(null));
        }
        return RequestFrame.of((short) 8, fetch);
    }

    private static void classic(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 2);
        TopicRef missing = arm.missingTopic("missing");
        String group = "group-of-" + topic.name();
        RawClient client = arm.connect();
        JoinGroupResponseData joined = join(client, 3, group, Errors.NONE);
        String member = joined.memberId();
        arm.transcript().alias(member, "member");
        client.call((short) 3, syncing(group, joined.generationId(), member, member));
        for (short version = 0; version <= 4; version++) {
            for (String name : List.of(member, "nobody")) {
                for (int generation : new int[] {joined.generationId(), 99}) {
                    HeartbeatRequestData beat = new HeartbeatRequestData()
                            .setGroupId(group)
                            .setMemberId(name)
                            .setGenerationId(generation);
                    arm.call(client, "heartbeat of " + generation + " v" + version, RequestFrame.of(version, beat));
                }
            }
        }
        for (short version = 2; version <= OFFSETS_BY_TOPIC_ID; version++) {
            for (String name : List.of(member, "nobody", "")) {
                for (int generation : new int[] {joined.generationId(), 99, -1}) {
                    OffsetCommitRequestData commit = commit(group, version, List.of(topic, missing), version);
                    commit.setMemberId(name).setGenerationIdOrMemberEpoch(generation);
                    arm.call(client, "commit of " + generation + " v" + version, RequestFrame.of(version, commit));
                }
            }
            arm.call(client, "committed " + version, fetchOffsets(version, group, topic, missing));
        }
        for (short version = 1; version <= OFFSETS_BY_TOPIC_ID; version++) {
            arm.call(client, "offsets v" + version, fetchOffsets(version, group, topic, missing));
            arm.call(client, "of no group v" + version, fetchOffsets(version, "no-group", topic, missing));
        }
        for (short version = 0; version <= 5; version++) {
            arm.call(client, "nobody leaves v" + version, leave(version, group, "nobody"));
        }
        arm.call(client, "leaves", leave((short) 5, group, member));
        arm.call(client, "leaves again", leave((short) 0, group, member));
    }

    /** Two members of a classic group in every version: the first one leads, the second one waits for it twice. */
    private static void joins(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 2);
        RawClient leader = arm.connect();
        RawClient follower = arm.connect();
        for (short version = 0; version <= JOIN_GROUP.latestVersion(); version++) {
            short sync = (short) Math.max(0, version - 4);
            String v = " v" + version;
            String group = "group" + version + "-of-" + topic.name();
            // Members of older versions get their ids when they have joined.
            boolean asksForId = version >= 4;
            String first;
            if (asksForId) {
                first = newMember(arm, leader, version, group, "first");
                arm.call(leader, "first joins" + v, RequestFrame.of(version, joining(group, first)));
            } else {
                first = join(leader, version, group, Errors.NONE).memberId();
                arm.transcript().alias(first, "first");
            }
            arm.call(leader, "first alone" + v, RequestFrame.of(sync, syncing(group, 1, first, first)));
            arm.call(leader, "wrong generation" + v, RequestFrame.of(sync, syncing(group, 7, first)));
            arm.call(leader, "nobody" + v, RequestFrame.of(sync, syncing(group, 1, "nobody")));
            arm.call(leader, "nobody joins" + v, RequestFrame.of(version, joining(group, "nobody")));

            String second = asksForId ? newMember(arm, follower, version, group, "second") : "";
            follower.send(RequestFrame.of(version, joining(group, second)));
            HeartbeatRequestData beat = new HeartbeatRequestData()
                    .setGroupId(group)
                    .setMemberId(first)
                    .setGenerationId(1);
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(10))
                    .until(() ->
                            leader.call(4, beat, HeartbeatResponseData.class).errorCode()
                                    == Errors.REBALANCE_IN_PROGRESS.code());
            RawResponse joined = leader.call(version, joining(group, first));
            RawResponse joinedToo = follower.receive();
            second = joinedToo.as(JoinGroupResponseData.class).memberId();
            arm.transcript().alias(second, "second");
            arm.transcript().note("first joins again" + v, joined);
            arm.transcript().note("second joins" + v, joinedToo);
            follower.send(RequestFrame.of(sync, syncing(group, 2, second)));
            arm.call(leader, "first of two" + v, RequestFrame.of(sync, syncing(group, 2, first, first, second)));
            arm.transcript().note("second of two" + v, follower.receive());
        }
    }

    /** Returns the id that the coordinator gives to a new member, once it is loaded. */
    private static String newMember(ArmContext arm, RawClient client, short version, String group, String name)
            throws IOException {
        String member = join(client, version, group, Errors.MEMBER_ID_REQUIRED).memberId();
        arm.transcript().alias(member, name);
        return member;
    }

    private static JoinGroupRequestData joining(String group, String member) {
        JoinGroupRequestData request = new JoinGroupRequestData()
                .setGroupId(group)
                .setMemberId(member)
                .setProtocolType("consumer")
                .setSessionTimeoutMs(30_000)
                .setRebalanceTimeoutMs(30_000);
        request.protocols().add(new JoinGroupRequestProtocol().setName("range").setMetadata(new byte[8]));
        return request;
    }

    /** @param assigned members to which the leader assigns */
    private static SyncGroupRequestData syncing(String group, int generation, String member, String... assigned) {
        SyncGroupRequestData request = new SyncGroupRequestData()
                .setGroupId(group)
                .setGenerationId(generation)
                .setMemberId(member)
                .setProtocolType("consumer")
                .setProtocolName("range");
        for (String each : assigned) {
            request.assignments()
                    .add(new SyncGroupRequestAssignment()
                            .setMemberId(each)
                            .setAssignment(("all of " + assigned.length).getBytes(StandardCharsets.US_ASCII)));
        }
        return request;
    }

    /** Returns the answer of the coordinator to a new member once it is loaded. */
    private static JoinGroupResponseData join(RawClient client, int version, String group, Errors error)
            throws IOException {
        JoinGroupRequestData request = joining(group, "");
        return Coordinators.ask(
                client,
                CoordinatorType.GROUP,
                group,
                version,
                request,
                JoinGroupResponseData.class,
                answer -> answer.errorCode() == error.code());
    }

    private static OffsetCommitRequestData commit(String group, short version, List<TopicRef> topics, long offset) {
        OffsetCommitRequestData commit = new OffsetCommitRequestData().setGroupId(group);
        for (TopicRef topic : topics) {
            OffsetCommitRequestTopic named = new OffsetCommitRequestTopic();
            if (version < OFFSETS_BY_TOPIC_ID) {
                named.setName(topic.name());
            } else {
                named.setTopicId(topic.id());
            }
            for (int partition : new int[] {0, 1, 7}) {
                named.partitions()
                        .add(new OffsetCommitRequestPartition()
                                .setPartitionIndex(partition)
                                .setCommittedOffset(offset + partition)
                                .setCommittedMetadata("by v" + version));
            }
            commit.topics().add(named);
        }
        return commit;
    }

    private static RequestFrame fetchOffsets(short version, String group, TopicRef... topics) {
        OffsetFetchRequestData fetch = new OffsetFetchRequestData();
        OffsetFetchRequestGroup ofGroup = new OffsetFetchRequestGroup().setGroupId(group);
        fetch.groups().add(ofGroup);
        for (TopicRef topic : topics) {
            fetch.topics()
                    .add(new OffsetFetchRequestTopic().setName(topic.name()).setPartitionIndexes(List.of(0, 1, 7)));
            OffsetFetchRequestTopics named = new OffsetFetchRequestTopics().setPartitionIndexes(List.of(0, 1, 7));
            ofGroup.topics()
                    .add(version < OFFSETS_BY_TOPIC_ID ? named.setName(topic.name()) : named.setTopicId(topic.id()));
        }
        if (version < 8) {
            fetch.setGroupId(group).setGroups(List.of());
        } else {
            fetch.setTopics(List.of());
        }
        return RequestFrame.of(version, fetch);
    }

    private static RequestFrame leave(short version, String group, String member) {
        LeaveGroupRequestData leave = new LeaveGroupRequestData().setGroupId(group);
        if (version < 3) {
            leave.setMemberId(member);
        } else {
            leave.setMembers(List.of(new MemberIdentity().setMemberId(member)));
        }
        return RequestFrame.of(version, leave);
    }

    private static void consumer(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 2);
        String group = "group-of-" + topic.name();
        String member = Uuid.randomUuid().toString();
        arm.transcript().alias(member, "member");
        RawClient client = arm.connect();
        ConsumerGroupHeartbeatResponseData[] last = {null};
        int[] epoch = {0};
        Coordinators.await(client, CoordinatorType.GROUP, group);
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> {
            last[0] = client.call(
                    1, subscribed(beat(group, member, epoch[0]), topic), ConsumerGroupHeartbeatResponseData.class);
            epoch[0] = last[0].errorCode() == Errors.NONE.code() ? last[0].memberEpoch() : 0;
            return last[0].assignment() != null
                    && !last[0].assignment().topicPartitions().isEmpty();
        });
        arm.note("assigned", last[0].assignment());
        for (short version = 0; version <= 1; version++) {
            arm.call(client, "known v" + version, RequestFrame.of(version, beat(group, member, epoch[0])));
            arm.call(client, "fenced v" + version, RequestFrame.of(version, beat(group, member, epoch[0] + 5)));
            arm.call(client, "nobody v" + version, RequestFrame.of(version, beat(group, "nobody", 3)));
        }
        for (short version = 8; version <= OFFSETS_BY_TOPIC_ID; version++) {
            for (int named : new int[] {epoch[0], epoch[0] + 5}) {
                OffsetCommitRequestData commit = commit(group, version, List.of(topic), 40 + version);
                commit.setMemberId(member).setGenerationIdOrMemberEpoch(named);
                arm.call(client, "commit v" + version, RequestFrame.of(version, commit));
            }
        }
        arm.call(client, "leave", RequestFrame.of((short) 1, beat(group, member, -1)));
    }

    private static ConsumerGroupHeartbeatRequestData beat(String group, String member, int epoch) {
        return new ConsumerGroupHeartbeatRequestData()
                .setGroupId(group)
                .setMemberId(member)
                .setMemberEpoch(epoch);
    }

    private static ConsumerGroupHeartbeatRequestData subscribed(
            ConsumerGroupHeartbeatRequestData beat, TopicRef topic) {
        return beat.setSubscribedTopicNames(List.of(topic.name()))
                .setTopicPartitions(List.of())
                .setRebalanceTimeoutMs(60_000);
    }
}
