// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static org.apache.kafka.common.protocol.ApiKeys.INCREMENTAL_ALTER_CONFIGS;
import static org.apache.kafka.common.protocol.ApiKeys.SHARE_ACKNOWLEDGE;
import static org.apache.kafka.common.protocol.ApiKeys.SHARE_FETCH;
import static org.apache.kafka.common.protocol.ApiKeys.SHARE_GROUP_HEARTBEAT;
import static org.awaitility.Awaitility.await;

import io.slipstream.harness.raw.Coordinators;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawResponse;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.Patience;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.ShareAcknowledgeRequestData;
import org.apache.kafka.common.message.ShareFetchRequestData;
import org.apache.kafka.common.message.ShareFetchRequestData.AcknowledgementBatch;
import org.apache.kafka.common.message.ShareFetchRequestData.FetchPartition;
import org.apache.kafka.common.message.ShareFetchRequestData.FetchTopic;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.message.ShareGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ShareGroupHeartbeatResponseData;
import org.apache.kafka.common.requests.FindCoordinatorRequest.CoordinatorType;

/** A member of a share group (KIP-932), step by step: share sessions, acknowledgements, and a member that goes away. */
final class RingShareCases {
    private static final Duration PATIENCE = Patience.ofSeconds(20);
    private static final byte ACCEPT = 1;
    private static final byte RELEASE = 2;

    private RingShareCases() {}

    static List<Case> all() {
        return List.of(Case.of("ring-share-group", RingShareCases::share)
                .onlyByRdma(EnumSet.of(SHARE_FETCH, SHARE_ACKNOWLEDGE, SHARE_GROUP_HEARTBEAT))
                .byRdma(INCREMENTAL_ALTER_CONFIGS));
    }

    private static void share(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        String group = "sharers-of-" + topic.name();
        RawClient writer = arm.connect();
        for (int i = 0; i < 4; i++) {
            arm.produce(writer, topic, 0, arm.batch(3, 400));
        }
        for (short version = 1; version <= SHARE_FETCH.latestVersion(); version++) {
            new Member(arm, topic, group + version, version).run();
        }
    }

    private static final class Member {
        private final ArmContext arm;
        private final TopicRef topic;
        private final String group;
        private final short version;
        private final String id = Uuid.randomUuid().toString();

        Member(ArmContext arm, TopicRef topic, String group, short version) {
            this.arm = arm;
            this.topic = topic;
            this.group = group;
            this.version = version;
            arm.transcript().alias(id, "member");
        }

        void run() throws IOException {
            RawClient client = arm.connect();
            arm.call(client, "from the beginning", fromTheBeginning());
            join(client);
            RawResponse first = firstRecords(client);
            arm.transcript().note(label("first"), first);
            arm.call(client, label("accept 0 to 2"), acknowledge(1, 0, 2, ACCEPT));
            arm.call(client, label("not acquired"), acknowledge(2, 500, 502, ACCEPT));
            arm.call(client, label("wrong epoch"), acknowledge(9, 3, 5, ACCEPT));
            arm.call(client, label("release 3 to 5"), acknowledge(3, 3, 5, RELEASE));
            arm.call(client, label("released"), fetch(4, 500, -1, -1, ACCEPT));
            arm.call(client, label("accept 6 to 8, and nothing is left"), fetch(5, 50, 6, 8, ACCEPT));
            arm.call(client, label("no session"), fetchOf("nobody", 7, 0, -1, -1, ACCEPT));
            // The broker gives back what the session has acquired when its connection ends.
            client.close();
            RawClient again = arm.connect();
            arm.transcript().note(label("after a lost connection"), firstRecords(again));
            arm.call(again, label("close"), acknowledge(-1, 3, 11, ACCEPT));
        }

        private String label(String step) {
            return step + " v" + version;
        }

        private void join(RawClient client) throws IOException {
            ShareGroupHeartbeatRequestData beat = new ShareGroupHeartbeatRequestData()
                    .setGroupId(group)
                    .setMemberId(id)
                    .setMemberEpoch(0)
                    .setSubscribedTopicNames(List.of(topic.name()));
            Coordinators.ask(
                    client,
                    CoordinatorType.GROUP,
                    group,
                    1,
                    beat,
                    ShareGroupHeartbeatResponseData.class,
                    answer -> answer.errorCode() == 0
                            && answer.assignment() != null
                            && !answer.assignment().topicPartitions().isEmpty());
        }

        /** Returns the first answer with records. The coordinator of share groups may not have its topic yet. */
        private RawResponse firstRecords(RawClient client) {
            RawResponse[] answer = {null};
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> {
                client.send(fetch(0, 500, -1, -1, ACCEPT));
                answer[0] = client.receive();
                return answer[0].as(ShareFetchResponseData.class).responses().stream()
                        .flatMap(each -> each.partitions().stream())
                        .anyMatch(each -> !each.acquiredRecords().isEmpty());
            });
            return answer[0];
        }

        private RequestFrame fetch(int epoch, int waitMs, long from, long to, byte type) {
            return fetchOf(id, epoch, waitMs, from, to, type);
        }

        /** @param from first offset to acknowledge, negative for none */
        private RequestFrame fetchOf(String member, int epoch, int waitMs, long from, long to, byte type) {
            FetchPartition partition = new FetchPartition().setPartitionIndex(0);
            if (from >= 0) {
                partition
                        .acknowledgementBatches()
                        .add(new AcknowledgementBatch()
                                .setFirstOffset(from)
                                .setLastOffset(to)
                                .setAcknowledgeTypes(List.of(type)));
            }
            FetchTopic fetched = new FetchTopic().setTopicId(topic.id());
            fetched.partitions().add(partition);
            ShareFetchRequestData request = new ShareFetchRequestData()
                    .setGroupId(group)
                    .setMemberId(member)
                    .setShareSessionEpoch(epoch)
                    .setMaxWaitMs(waitMs)
                    .setMinBytes(1)
                    .setMaxBytes(1 << 20)
                    .setMaxRecords(500)
                    .setBatchSize(500);
            request.topics().add(fetched);
            return RequestFrame.of(version, request);
        }

        private RequestFrame acknowledge(int epoch, long from, long to, byte type) {
            ShareAcknowledgeRequestData.AcknowledgePartition partition =
                    new ShareAcknowledgeRequestData.AcknowledgePartition().setPartitionIndex(0);
            partition
                    .acknowledgementBatches()
                    .add(new ShareAcknowledgeRequestData.AcknowledgementBatch()
                            .setFirstOffset(from)
                            .setLastOffset(to)
                            .setAcknowledgeTypes(List.of(type)));
            ShareAcknowledgeRequestData.AcknowledgeTopic acknowledged =
                    new ShareAcknowledgeRequestData.AcknowledgeTopic().setTopicId(topic.id());
            acknowledged.partitions().add(partition);
            ShareAcknowledgeRequestData request = new ShareAcknowledgeRequestData()
                    .setGroupId(group)
                    .setMemberId(id)
                    .setShareSessionEpoch(epoch);
            request.topics().add(acknowledged);
            return RequestFrame.of(version, request);
        }

        private RequestFrame fromTheBeginning() {
            AlterConfigsResource resource = new AlterConfigsResource()
                    .setResourceType(ConfigResource.Type.GROUP.id())
                    .setResourceName(group);
            resource.configs()
                    .add(new AlterableConfig()
                            .setName("share.auto.offset.reset")
                            .setValue("earliest"));
            IncrementalAlterConfigsRequestData request = new IncrementalAlterConfigsRequestData();
            request.resources().add(resource);
            return RequestFrame.of((short) 1, request);
        }
    }
}
