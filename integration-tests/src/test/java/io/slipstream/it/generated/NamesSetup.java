// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.generated;

import static org.awaitility.Awaitility.await;

import io.slipstream.harness.raw.Coordinators;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.it.generated.Names.Producer;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Patience;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.apache.kafka.common.message.AlterShareGroupOffsetsRequestData;
import org.apache.kafka.common.message.AlterShareGroupOffsetsRequestData.AlterShareGroupOffsetsRequestPartition;
import org.apache.kafka.common.message.AlterShareGroupOffsetsRequestData.AlterShareGroupOffsetsRequestTopic;
import org.apache.kafka.common.message.AlterShareGroupOffsetsResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.ShareGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ShareGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.requests.FindCoordinatorRequest.CoordinatorType;

/** Creates what {@link Names} names, as a super user directly at the broker, and waits until it is there. */
public final class NamesSetup {
    private static final Duration PATIENCE = Patience.ofSeconds(20);
    /** Longer than any case, so that no transaction ends by itself. */
    private static final int TRANSACTION_TIMEOUT_MS = 600_000;

    private static final String MEMBER = "setup";

    private final RawClient superUser;
    private final Names names;

    private NamesSetup(RawClient superUser, Names names) {
        this.superUser = superUser;
        this.names = names;
    }

    /** Returns a begin of names that nothing else has, of the same length each time. */
    public static String newOwn() {
        return "own" + UUID.randomUUID().toString().replace("-", "");
    }

    /** @param sent some of them need a producer */
    public static Names create(
            BrokerProcess broker, String own, TopicRef topic, TopicRef changed, List<ApiVersion> sent)
            throws IOException {
        Names names = new Names(
                own, topic, changed, broker.nodeId(), broker.logDirectory().toString(), new HashMap<>());
        try (RawClient superUser = RawClient.connect(broker.bootstrapServers())) {
            NamesSetup setup = new NamesSetup(superUser, names);
            setup.awaitCoordinators();
            for (String group : List.of(names.group(), names.groupToDelete(true), names.groupToDelete(false))) {
                until("an offset of " + group, () -> setup.commit(group));
            }
            for (ApiVersion each : sent) {
                if (isOfProducer(each)) {
                    setup.createProducer(names.transactionalId(each, true));
                    setup.createProducer(names.transactionalId(each, false));
                }
            }
            setup.createShareGroup();
        }
        return names;
    }

    private static boolean isOfProducer(ApiVersion each) {
        BoundField[] fields =
                each.api().messageType.requestSchemas()[each.version()].fields();
        return Arrays.stream(fields).anyMatch(field -> field.def.name.matches(".*transactional_ids?|transactions"));
    }

    private static void until(String what, Callable<Boolean> done) {
        await().atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .alias(what)
                .until(done);
    }

    private void awaitCoordinators() throws IOException {
        Coordinators.await(superUser, CoordinatorType.GROUP, names.own());
        Coordinators.await(superUser, CoordinatorType.TRANSACTION, names.own());
        FindCoordinatorRequestData ofShare = new FindCoordinatorRequestData()
                .setKeyType(CoordinatorType.SHARE.id())
                .setCoordinatorKeys(List.of(names.own() + ':' + names.topic().id() + ":0"));
        Coordinators.ask(
                superUser,
                CoordinatorType.SHARE,
                null,
                6,
                ofShare,
                FindCoordinatorResponseData.class,
                answer -> answer.coordinators().get(0).errorCode() == 0);
    }

    private boolean commit(String group) throws IOException {
        OffsetCommitRequestData commit = new OffsetCommitRequestData()
                .setGroupId(group)
                .setTopics(List.of(new OffsetCommitRequestTopic()
                        .setName(names.topic().name())
                        .setPartitions(List.of(new OffsetCommitRequestPartition()
                                .setPartitionIndex(0)
                                .setCommittedOffset(1)))));
        OffsetCommitResponseData answer = superUser.call(9, commit, OffsetCommitResponseData.class);
        return answer.topics().get(0).partitions().get(0).errorCode() == 0;
    }

    private void createProducer(String transactionalId) throws IOException {
        InitProducerIdRequestData init = new InitProducerIdRequestData()
                .setTransactionalId(transactionalId)
                .setTransactionTimeoutMs(TRANSACTION_TIMEOUT_MS);
        InitProducerIdResponseData answer = Coordinators.ask(
                superUser,
                CoordinatorType.TRANSACTION,
                transactionalId,
                4,
                init,
                InitProducerIdResponseData.class,
                made -> made.errorCode() == 0);
        names.producers().put(transactionalId, new Producer(answer.producerId(), answer.producerEpoch()));
    }

    /** Its only member leaves: only an offset of an empty group can be set. It has no record, so nobody waits. */
    private void createShareGroup() throws IOException {
        long end = endOfTopic();
        until("a member of a share group", () -> heartbeat(0));
        until("the leaving of a share group", () -> heartbeat(-1));
        AlterShareGroupOffsetsRequestData alter =
                new AlterShareGroupOffsetsRequestData().setGroupId(names.shareGroup());
        alter.topics()
                .add(new AlterShareGroupOffsetsRequestTopic()
                        .setTopicName(names.topic().name())
                        .setPartitions(List.of(new AlterShareGroupOffsetsRequestPartition()
                                .setPartitionIndex(0)
                                .setStartOffset(end))));
        until("a start offset of a share group", () -> {
            AlterShareGroupOffsetsResponseData answer =
                    superUser.call(0, alter, AlterShareGroupOffsetsResponseData.class);
            return answer.errorCode() == 0
                    && answer.responses().stream()
                            .flatMap(topic -> topic.partitions().stream())
                            .allMatch(partition -> partition.errorCode() == 0);
        });
    }

    private long endOfTopic() throws IOException {
        ListOffsetsRequestData latest = new ListOffsetsRequestData()
                .setReplicaId(-1)
                .setTopics(List.of(new ListOffsetsTopic()
                        .setName(names.topic().name())
                        .setPartitions(List.of(
                                new ListOffsetsPartition().setPartitionIndex(0).setTimestamp(-1)))));
        ListOffsetsResponseData answer = superUser.call(7, latest, ListOffsetsResponseData.class);
        return answer.topics().get(0).partitions().get(0).offset();
    }

    private boolean heartbeat(int epoch) throws IOException {
        ShareGroupHeartbeatRequestData beat = new ShareGroupHeartbeatRequestData()
                .setGroupId(names.shareGroup())
                .setMemberId(MEMBER)
                .setMemberEpoch(epoch)
                .setSubscribedTopicNames(List.of(names.topic().name()));
        return superUser.call(1, beat, ShareGroupHeartbeatResponseData.class).errorCode() == 0;
    }
}
