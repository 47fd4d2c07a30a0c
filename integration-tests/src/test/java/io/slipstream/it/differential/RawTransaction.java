// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static org.awaitility.Awaitility.await;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.ProducerIds;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.Patience;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData;
import org.apache.kafka.common.message.DescribeTransactionsRequestData;
import org.apache.kafka.common.message.DescribeTransactionsResponseData;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.protocol.Errors;

/**
 * A transaction on partition 0 of one topic, step by step. It follows either the protocol of Kafka 3 producers or the
 * second protocol (KIP-890), in which the first Produce adds a partition and each transaction has its own epoch.
 */
final class RawTransaction {
    private static final Duration PATIENCE = Patience.ofSeconds(20);
    /** The last Produce version that requires prior addition of partitions. */
    static final int FIRST_PROTOCOL = 11;

    static final int SECOND_PROTOCOL = 12;

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
        RawTransaction transaction = prepare(arm, client, name, topic);
        transaction.add();
        return transaction;
    }

    /** Gets a producer id from the coordinator and adds nothing. A reused name gets the next epoch. */
    static RawTransaction prepare(ArmContext arm, RawClient client, String name, TopicRef topic) throws IOException {
        RawTransaction transaction = new RawTransaction(arm, client, name, topic);
        transaction.init();
        arm.transcript().alias("producerId=" + transaction.producerId, "producerId=of-" + name);
        return transaction;
    }

    /** Adds the partition to the transaction. */
    void add() {
        await().atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .until(this::addPartition);
    }

    private void init() throws IOException {
        InitProducerIdResponseData answer = ProducerIds.of(client, transactionalId);
        producerId = answer.producerId();
        epoch = answer.producerEpoch();
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
        produce(FIRST_PROTOCOL, values);
    }

    void produce(int version, byte[]... values) throws IOException {
        arm.call(client, "transactional produce v" + version, frame(version, transactionalId, values));
        sequence += values.length;
    }

    /** Produces a batch that the broker may refuse; the next one has the same sequence. */
    void produceRefused(int version, String namedId, byte[]... values) throws IOException {
        arm.call(client, "refused transactional produce v" + version, frame(version, namedId, values));
    }

    String transactionalId() {
        return transactionalId;
    }

    long producerId() {
        return producerId;
    }

    short epoch() {
        return epoch;
    }

    /** First protocol, with a given sequence; the caller sends the frame. */
    RequestFrame frameAt(int chosenSequence, byte[]... values) {
        sequence = chosenSequence;
        return frame(FIRST_PROTOCOL, transactionalId, values);
    }

    private RequestFrame frame(int version, String namedId, byte[]... values) {
        return ProduceRequests.version(version, -1)
                .transactionalId(namedId)
                .add(topic, 0, Batches.transactional(producerId, epoch, sequence, values))
                .frame();
    }

    /** Commits or aborts with the first protocol, and waits until the marker raises the end offset by one. */
    void end(boolean commit) throws IOException {
        long endOffset = endOffset();
        arm.note(commit ? "commit" : "abort", Errors.forCode(end(commit, 3).errorCode()));
        awaitMarker(endOffset);
    }

    /** Commits or aborts with the second protocol, waits for the marker and continues with the next epoch. */
    void endAndGoOn(boolean commit) throws IOException {
        long endOffset = endOffset();
        EndTxnResponseData response = end(commit, 5);
        arm.note(commit ? "commit" : "abort", Errors.forCode(response.errorCode()));
        arm.note("epochs on", response.producerEpoch() - epoch);
        producerId = response.producerId();
        epoch = response.producerEpoch();
        sequence = 0;
        awaitMarker(endOffset);
    }

    /** Requests an end that the coordinator refuses. */
    void endRefused(boolean commit) throws IOException {
        arm.note("refused end", Errors.forCode(end(commit, 3).errorCode()));
    }

    private EndTxnResponseData end(boolean commit, int version) throws IOException {
        return client.call(
                version,
                new EndTxnRequestData()
                        .setTransactionalId(transactionalId)
                        .setProducerId(producerId)
                        .setProducerEpoch(epoch)
                        .setCommitted(commit),
                EndTxnResponseData.class);
    }

    /**
     * Waits until the marker is in the log and the coordinator knows it; before that the coordinator refuses further
     * requests differently.
     */
    private void awaitMarker(long endOffset) {
        await().atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> endOffset() == endOffset + 1 && state().startsWith("Complete"));
    }

    private String state() throws IOException {
        return client.call(
                        0,
                        new DescribeTransactionsRequestData().setTransactionalIds(List.of(transactionalId)),
                        DescribeTransactionsResponseData.class)
                .transactionStates()
                .get(0)
                .transactionState();
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
