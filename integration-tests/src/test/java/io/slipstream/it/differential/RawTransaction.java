package io.slipstream.it.differential;

import static org.awaitility.Awaitility.await;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.protocol.Errors;

/** A transaction on partition 0 of one topic, step by step as a producer of Kafka 3 does it (no transaction protocol 2). */
final class RawTransaction {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final byte TRANSACTION_KEY = 1;

    private final ArmContext arm;
    private final RawClient client;
    private final TopicRef topic;
    private final String transactionalId;
    private long producerId;
    private short epoch;
    private int sequence;

    private RawTransaction(ArmContext arm, RawClient client, String name, TopicRef topic) {
        this.arm = arm;
        this.client = client;
        this.topic = topic;
        transactionalId = name + '-' + topic.name();
    }

    /** Gets a producer id from the coordinator and adds the partition. */
    static RawTransaction begin(ArmContext arm, RawClient client, String name, TopicRef topic) throws IOException {
        RawTransaction transaction = new RawTransaction(arm, client, name, topic);
        // The first question creates the coordinator's topic; until it is loaded there is no id.
        await().atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .until(transaction::init);
        arm.transcript().alias("producerId=" + transaction.producerId, "producerId=of-" + name);
        await().atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .until(transaction::addPartition);
        return transaction;
    }

    private boolean init() throws IOException {
        client.call(
                (short) 3,
                new FindCoordinatorRequestData().setKeyType(TRANSACTION_KEY).setKey(transactionalId));
        InitProducerIdResponseData response = client.call(
                4,
                new InitProducerIdRequestData()
                        .setTransactionalId(transactionalId)
                        .setTransactionTimeoutMs(60_000),
                InitProducerIdResponseData.class);
        producerId = response.producerId();
        epoch = response.producerEpoch();
        return response.errorCode() == Errors.NONE.code();
    }

    private boolean addPartition() throws IOException {
        AddPartitionsToTxnRequestData request = new AddPartitionsToTxnRequestData()
                .setV3AndBelowTransactionalId(transactionalId)
                .setV3AndBelowProducerId(producerId)
                .setV3AndBelowProducerEpoch(epoch);
        request.v3AndBelowTopics()
                .add(new AddPartitionsToTxnTopic().setName(topic.name()).setPartitions(List.of(0)));
        AddPartitionsToTxnResponseData response = client.call(3, request, AddPartitionsToTxnResponseData.class);
        return response.resultsByTopicV3AndBelow().stream()
                .flatMap(result -> result.resultsByPartition().stream())
                .allMatch(result -> result.partitionErrorCode() == Errors.NONE.code());
    }

    void produce(byte[]... values) throws IOException {
        arm.call(
                client,
                "transactional produce",
                ProduceRequests.version(11, -1)
                        .transactionalId(transactionalId)
                        .add(topic, 0, Batches.transactional(producerId, epoch, sequence, values))
                        .frame());
        sequence += values.length;
    }

    /** Commits or aborts, and waits until the marker is in the log: the end offset rises by one. */
    void end(boolean commit) throws IOException {
        long endOffset = endOffset();
        EndTxnResponseData response = client.call(
                3,
                new EndTxnRequestData()
                        .setTransactionalId(transactionalId)
                        .setProducerId(producerId)
                        .setProducerEpoch(epoch)
                        .setCommitted(commit),
                EndTxnResponseData.class);
        arm.note(commit ? "commit" : "abort", Errors.forCode(response.errorCode()));
        await().atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> endOffset() == endOffset + 1);
    }

    private long endOffset() throws IOException {
        ListOffsetsRequestData request = new ListOffsetsRequestData()
                .setReplicaId(-1)
                .setTopics(List.of(new ListOffsetsTopic()
                        .setName(topic.name())
                        .setPartitions(List.of(
                                new ListOffsetsPartition().setPartitionIndex(0).setTimestamp(-1)))));
        return client.call(7, request, ListOffsetsResponseData.class)
                .topics()
                .get(0)
                .partitions()
                .get(0)
                .offset();
    }
}
