// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security.access;

import io.slipstream.harness.raw.Coordinators;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.it.security.access.Resources.Topic;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.DescribeAclsRequestData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopic;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.requests.FindCoordinatorRequest.CoordinatorType;

/** Operations on groups, and of administrators: some are forwarded to the controller. */
final class RingOperations {
    private static final byte CLUSTER = 4;
    private static final byte TOPIC = 2;
    private static final byte ANY = 1;

    private RingOperations() {}

    private static AccessCase.Script asking(int version, Function<AccessClient, ApiMessage> request) {
        return client -> {
            String answer = client.call(RequestFrame.of((short) version, request.apply(client)));
            return answer.replaceAll("host='[^']*', port=-?\\d+", "at")
                    .replaceAll("(memberId='|topicId=)[^',]*", "$1")
                    .replaceAll("Request\\(.*\\) needs", "Request needs")
                    .replace(client.ownTransactionalId(), "group");
        };
    }

    static void awaitCoordinator(RawClient superUser, String group) throws IOException {
        Coordinators.ask(
                superUser,
                CoordinatorType.GROUP,
                group,
                7,
                new OffsetFetchRequestData().setGroupId(group).setTopics(null),
                OffsetFetchResponseData.class,
                answer -> answer.errorCode() == 0);
    }

    static AccessCase.Script findCoordinator() {
        return asking(3, client -> new FindCoordinatorRequestData().setKey(client.ownTransactionalId()));
    }

    static AccessCase.Script joinGroup() {
        return asking(9, client -> {
            JoinGroupRequestData join = new JoinGroupRequestData()
                    .setGroupId(client.ownTransactionalId())
                    .setProtocolType("consumer")
                    .setSessionTimeoutMs(30_000)
                    .setRebalanceTimeoutMs(30_000);
            join.protocols().add(new JoinGroupRequestProtocol().setName("range").setMetadata(new byte[8]));
            return join;
        });
    }

    static AccessCase.Script commit(Topic topic) {
        return asking(
                9,
                client -> new OffsetCommitRequestData()
                        .setGroupId(client.ownTransactionalId())
                        .setTopics(List.of(new OffsetCommitRequestTopic()
                                .setName(client.topic(topic).name())
                                .setPartitions(List.of(new OffsetCommitRequestPartition()
                                        .setPartitionIndex(0)
                                        .setCommittedOffset(1))))));
    }

    static AccessCase.Script fetchCommittedOffset(Topic topic) {
        return asking(
                7,
                client -> new OffsetFetchRequestData()
                        .setGroupId(client.ownTransactionalId())
                        .setTopics(List.of(new OffsetFetchRequestTopic()
                                .setName(client.topic(topic).name())
                                .setPartitionIndexes(List.of(0)))));
    }

    static AccessCase.Script describeGroup() {
        return asking(5, client -> new DescribeGroupsRequestData().setGroups(List.of(client.ownTransactionalId())));
    }

    /** Forwarded to the controller, which judges the user by the forwarded principal; creates nothing. */
    static AccessCase.Script createTopic() {
        return asking(7, client -> {
            CreateTopicsRequestData create = new CreateTopicsRequestData().setValidateOnly(true);
            create.topics()
                    .add(new CreatableTopic()
                            .setName("never-created")
                            .setNumPartitions(1)
                            .setReplicationFactor((short) 1));
            return create;
        });
    }

    /** Forwarded, as {@link #createTopic}; changes nothing. */
    static AccessCase.Script changeConfiguration(Topic topic) {
        return asking(1, client -> {
            AlterConfigsResource resource = new AlterConfigsResource()
                    .setResourceType(TOPIC)
                    .setResourceName(client.topic(topic).name());
            resource.configs().add(new AlterableConfig().setName("retention.ms").setValue("1000"));
            IncrementalAlterConfigsRequestData alter = new IncrementalAlterConfigsRequestData().setValidateOnly(true);
            alter.resources().add(resource);
            return alter;
        });
    }

    static AccessCase.Script describeAcls() {
        return asking(
                3,
                client -> new DescribeAclsRequestData()
                        .setResourceTypeFilter(CLUSTER)
                        .setPatternTypeFilter(ANY)
                        .setOperation(ANY)
                        .setPermissionType(ANY));
    }
}
