// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static org.apache.kafka.common.protocol.ApiKeys.DESCRIBE_ACLS;
import static org.apache.kafka.common.protocol.ApiKeys.DESCRIBE_CLUSTER;
import static org.apache.kafka.common.protocol.ApiKeys.DESCRIBE_LOG_DIRS;
import static org.apache.kafka.common.protocol.ApiKeys.DESCRIBE_TOPIC_PARTITIONS;
import static org.apache.kafka.common.protocol.ApiKeys.FIND_COORDINATOR;
import static org.apache.kafka.common.protocol.ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS;
import static org.apache.kafka.common.protocol.ApiKeys.LIST_CONFIG_RESOURCES;
import static org.apache.kafka.common.protocol.ApiKeys.LIST_GROUPS;
import static org.apache.kafka.common.protocol.ApiKeys.LIST_OFFSETS;
import static org.apache.kafka.common.protocol.ApiKeys.LIST_TRANSACTIONS;
import static org.apache.kafka.common.protocol.ApiKeys.METADATA;
import static org.apache.kafka.common.protocol.ApiKeys.OFFSET_FOR_LEADER_EPOCH;

import io.slipstream.harness.raw.Coordinators;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawResponse;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.protocol.ring.RingApis;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.message.DescribeAclsRequestData;
import org.apache.kafka.common.message.DescribeClusterRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData;
import org.apache.kafka.common.message.DescribeTopicPartitionsRequestData.TopicRequest;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.requests.FindCoordinatorRequest.CoordinatorType;
import org.apache.kafka.common.requests.ListOffsetsRequest;

/**
 * The APIs of the request ring beside Produce: empty requests of every version, reads of offsets and epochs, and
 * answers that name brokers.
 */
final class RingApiCases {
    /** Answers about everything that the broker has, which differs from arm to arm, or with random parts. */
    private static final Set<ApiKeys> VARYING = EnumSet.of(
            METADATA,
            LIST_GROUPS,
            DESCRIBE_LOG_DIRS,
            DESCRIBE_TOPIC_PARTITIONS,
            LIST_TRANSACTIONS,
            LIST_CONFIG_RESOURCES,
            GET_TELEMETRY_SUBSCRIPTIONS);

    private RingApiCases() {}

    static List<Case> all() {
        return List.of(
                Case.of("ring-empty-requests", RingApiCases::empty).onlyByRdma(Case.OF_RING),
                Case.of("ring-names-of-brokers", RingApiCases::brokers)
                        .onlyByRdma(EnumSet.of(METADATA, FIND_COORDINATOR, DESCRIBE_CLUSTER, DESCRIBE_TOPIC_PARTITIONS))
                        .inCore(),
                Case.of("ring-offsets", RingApiCases::offsets)
                        .onlyByRdma(EnumSet.of(LIST_OFFSETS))
                        .inCore(),
                Case.of("ring-leader-epochs", RingApiCases::leaderEpochs)
                        .onlyByRdma(EnumSet.of(OFFSET_FOR_LEADER_EPOCH)));
    }

    /**
     * A request with the default of each field, which a broker refuses, or answers with as little. The default of
     * Produce has no answer.
     */
    private static void empty(ArmContext arm) throws IOException {
        RawClient client = arm.connect();
        awaitCoordinators(client);
        for (ApiKeys api : ApiKeys.values()) {
            for (short version = api.oldestVersion(); version <= api.latestVersion(); version++) {
                if (api != ApiKeys.PRODUCE && RingApis.carries(api.id, version)) {
                    RequestFrame frame = RequestFrame.of(version, least(api));
                    if (!isAnswered(arm, client, api, version, frame)) {
                        client = arm.connect();
                    }
                }
            }
        }
    }

    private static void awaitCoordinators(RawClient client) throws IOException {
        Coordinators.await(client, CoordinatorType.GROUP, "key");
        Coordinators.await(client, CoordinatorType.TRANSACTION, "key");
    }

    private static ApiMessage least(ApiKeys api) {
        if (api == DESCRIBE_ACLS) {
            byte any = 1;
            return new DescribeAclsRequestData()
                    .setResourceTypeFilter(any)
                    .setPatternTypeFilter(any)
                    .setOperation(any)
                    .setPermissionType(any);
        }
        return api.messageType.newRequest();
    }

    /** Notes the answer, or that the connection was closed. */
    private static boolean isAnswered(ArmContext arm, RawClient client, ApiKeys api, short version, RequestFrame frame)
            throws IOException {
        String label = api + " v" + version;
        client.send(frame);
        try {
            RawResponse answer = client.receive();
            if (VARYING.contains(api)) {
                arm.note(label, answer.body().getClass());
            } else {
                arm.transcript().note(label, answer);
            }
            return true;
        } catch (EOFException | SocketException closed) {
            arm.note(label, "connection closed");
            return false;
        } catch (IOException e) {
            throw new IOException(label, e);
        }
    }

    /** The proxy puts its own addresses into these answers. */
    private static void brokers(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 3);
        TopicRef missing = arm.missingTopic("missing");
        RawClient client = arm.connect();
        for (short version = 0; version <= METADATA.latestVersion(); version++) {
            MetadataRequestData metadata = new MetadataRequestData();
            metadata.topics().add(new MetadataRequestTopic().setName(topic.name()));
            if (version >= 4) {
                // Older versions create it.
                metadata.topics().add(new MetadataRequestTopic().setName(missing.name()));
                metadata.setAllowAutoTopicCreation(false);
            }
            arm.call(client, "metadata v" + version, RequestFrame.of(version, metadata));
        }
        awaitCoordinators(client);
        for (short version = 0; version <= FIND_COORDINATOR.latestVersion(); version++) {
            for (byte type = 0; type <= (version == 0 ? 0 : 2); type++) {
                FindCoordinatorRequestData find = new FindCoordinatorRequestData().setKeyType(type);
                if (version < 4) {
                    find.setKey("key-of-" + type);
                } else {
                    find.setCoordinatorKeys(List.of("key-of-" + type, ""));
                }
                arm.call(client, "coordinator " + type + " v" + version, RequestFrame.of(version, find));
            }
        }
        for (short version = 0; version <= DESCRIBE_CLUSTER.latestVersion(); version++) {
            arm.call(client, "cluster v" + version, RequestFrame.of(version, new DescribeClusterRequestData()));
        }
        DescribeTopicPartitionsRequestData partitions = new DescribeTopicPartitionsRequestData()
                .setTopics(List.of(new TopicRequest().setName(topic.name())))
                .setResponsePartitionLimit(2);
        arm.call(client, "partitions", RequestFrame.of((short) 0, partitions));
    }

    private static void offsets(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 6);
        TopicRef missing = arm.missingTopic("missing");
        RawClient client = arm.connect();
        for (int i = 0; i < 3; i++) {
            arm.produce(client, topic, 0, arm.batch(2, 60));
        }
        for (short version = 1; version <= 11; version++) {
            for (byte isolation = 0; isolation <= (version < 2 ? 0 : 1); isolation++) {
                ListOffsetsRequestData request = new ListOffsetsRequestData()
                        .setReplicaId(-1)
                        .setIsolationLevel(isolation)
                        .setTopics(List.of(
                                new ListOffsetsTopic()
                                        .setName(topic.name())
                                        .setPartitions(List.of(
                                                at(0, ListOffsetsRequest.LATEST_TIMESTAMP, -1),
                                                at(1, ListOffsetsRequest.EARLIEST_TIMESTAMP, -1),
                                                at(2, 0, -1),
                                                at(3, Long.MAX_VALUE, -1),
                                                at(4, ListOffsetsRequest.MAX_TIMESTAMP, -1),
                                                at(5, -77, -1),
                                                at(99, ListOffsetsRequest.LATEST_TIMESTAMP, -1))),
                                new ListOffsetsTopic()
                                        .setName(missing.name())
                                        .setPartitions(List.of(at(0, ListOffsetsRequest.LATEST_TIMESTAMP, -1)))));
                arm.call(client, "offsets v" + version + " level " + isolation, RequestFrame.of(version, request));
            }
            if (version >= 4) {
                ListOffsetsRequestData wrongEpoch = new ListOffsetsRequestData()
                        .setReplicaId(-1)
                        .setTopics(List.of(new ListOffsetsTopic()
                                .setName(topic.name())
                                .setPartitions(List.of(at(0, ListOffsetsRequest.LATEST_TIMESTAMP, 7)))));
                arm.call(client, "offsets of epoch 7, v" + version, RequestFrame.of(version, wrongEpoch));
            }
        }
    }

    private static ListOffsetsPartition at(int partition, long timestamp, int leaderEpoch) {
        return new ListOffsetsPartition()
                .setPartitionIndex(partition)
                .setTimestamp(timestamp)
                .setCurrentLeaderEpoch(leaderEpoch);
    }

    private static void leaderEpochs(ArmContext arm) throws IOException {
        TopicRef topic = arm.agedTopic();
        RawClient client = arm.connect();
        for (short version = 2; version <= 4; version++) {
            for (int current : new int[] {-1, 0, 1, 9}) {
                for (int asked : new int[] {0, 1, 9}) {
                    OffsetForLeaderEpochRequestData request =
                            new OffsetForLeaderEpochRequestData().setReplicaId(version < 3 ? -2 : -1);
                    request.topics()
                            .add(new OffsetForLeaderTopic()
                                    .setTopic(topic.name())
                                    .setPartitions(List.of(new OffsetForLeaderPartition()
                                            .setPartition(0)
                                            .setCurrentLeaderEpoch(current)
                                            .setLeaderEpoch(asked))));
                    String label = "end of epoch " + asked + " in " + current + ", v" + version;
                    arm.call(client, label, RequestFrame.of(version, request));
                }
            }
        }
    }
}
