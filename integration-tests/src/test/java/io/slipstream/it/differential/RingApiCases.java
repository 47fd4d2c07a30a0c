// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static io.slipstream.it.differential.Case.Api.LIST_OFFSETS;
import static io.slipstream.it.differential.Case.Api.OFFSET_FOR_LEADER_EPOCH;

import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.protocol.ring.RingApis;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.util.EnumSet;
import java.util.List;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderPartition;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData.OffsetForLeaderTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.ListOffsetsRequest;

/** The APIs of the request ring beside Produce: empty requests of every version, and reads of offsets and epochs. */
final class RingApiCases {
    private RingApiCases() {}

    static List<Case> all() {
        return List.of(
                Case.of("ring-empty-requests", RingApiCases::empty).onlyByRdma(Case.Api.OF_RING),
                Case.of("ring-offsets", RingApiCases::offsets)
                        .onlyByRdma(EnumSet.of(LIST_OFFSETS))
                        .inCore(),
                Case.of("ring-leader-epochs", RingApiCases::leaderEpochs)
                        .onlyByRdma(EnumSet.of(OFFSET_FOR_LEADER_EPOCH)));
    }

    /**
     * A request with the default of each field, which a broker refuses, or answers with as little. Fails for an API
     * whose path no case states. The default of Produce has no answer.
     */
    private static void empty(ArmContext arm) throws IOException {
        RawClient client = arm.connect();
        for (ApiKeys api : ApiKeys.values()) {
            for (short version = api.oldestVersion(); version <= api.latestVersion(); version++) {
                if (api != ApiKeys.PRODUCE && RingApis.carries(api.id, version)) {
                    Case.Api.valueOf(api.name());
                    RequestFrame frame = RequestFrame.of(version, api.messageType.newRequest());
                    if (!isAnswered(arm, client, api + " v" + version, frame)) {
                        client = arm.connect();
                    }
                }
            }
        }
    }

    /** Notes the answer, or that the connection was closed. */
    private static boolean isAnswered(ArmContext arm, RawClient client, String label, RequestFrame frame)
            throws IOException {
        client.send(frame);
        try {
            arm.transcript().note(label, client.receive());
            return true;
        } catch (EOFException | SocketException closed) {
            arm.note(label, "connection closed");
            return false;
        } catch (IOException e) {
            throw new IOException(label, e);
        }
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
