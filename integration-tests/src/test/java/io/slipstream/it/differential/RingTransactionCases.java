// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import org.apache.kafka.common.message.AddOffsetsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/** The requests of a transaction beside Produce, at each version: by its producer, and by a fenced or unknown one. */
final class RingTransactionCases {
    private RingTransactionCases() {}

    static List<Case> all() {
        return List.of(
                Case.of("ring-producer-ids", RingTransactionCases::producerIds)
                        .onlyByRdma(EnumSet.of(ApiKeys.INIT_PRODUCER_ID)),
                Case.of("ring-transaction", RingTransactionCases::transaction)
                        .onlyByRdma(EnumSet.of(
                                ApiKeys.ADD_PARTITIONS_TO_TXN,
                                ApiKeys.ADD_OFFSETS_TO_TXN,
                                ApiKeys.TXN_OFFSET_COMMIT,
                                ApiKeys.END_TXN))
                        .inCore());
    }

    private static void producerIds(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        RawTransaction transaction = RawTransaction.prepare(arm, client, "ids", topic);
        for (short version = 0; version <= 5; version++) {
            InitProducerIdResponseData idempotent = client.call(
                    version,
                    new InitProducerIdRequestData().setTransactionalId(null),
                    InitProducerIdResponseData.class);
            arm.note(
                    "no transaction v" + version,
                    Errors.forCode(idempotent.errorCode()) + " " + (idempotent.producerId() >= 0) + " "
                            + idempotent.producerEpoch());
            InitProducerIdRequestData next = new InitProducerIdRequestData()
                    .setTransactionalId(transaction.transactionalId())
                    .setTransactionTimeoutMs(60_000);
            arm.call(client, "next epoch v" + version, RequestFrame.of(version, next));
            arm.call(client, "too long v" + version, RequestFrame.of(version, next.setTransactionTimeoutMs(1 << 30)));
        }
    }

    private static void transaction(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 2);
        TopicRef missing = arm.missingTopic("missing");
        RawClient client = arm.connect();
        RawTransaction transaction = RawTransaction.begin(arm, client, "tx", topic);
        String group = "group-of-" + topic.name();
        transaction.produce(arm.values(2, 50));
        for (short epoch : new short[] {transaction.epoch(), 77}) {
            for (short version = 0; version <= 3; version++) {
                AddPartitionsToTxnRequestData add = new AddPartitionsToTxnRequestData()
                        .setV3AndBelowTransactionalId(transaction.transactionalId())
                        .setV3AndBelowProducerId(transaction.producerId())
                        .setV3AndBelowProducerEpoch(epoch);
                for (TopicRef each : version == 0 ? List.of(topic) : List.of(topic, missing)) {
                    add.v3AndBelowTopics()
                            .add(new AddPartitionsToTxnTopic()
                                    .setName(each.name())
                                    .setPartitions(List.of(0)));
                }
                arm.call(client, "add partitions v" + version + " of " + epoch, RequestFrame.of(version, add));
            }
            for (short version = 0; version <= 4; version++) {
                AddOffsetsToTxnRequestData add = new AddOffsetsToTxnRequestData()
                        .setTransactionalId(transaction.transactionalId())
                        .setProducerId(transaction.producerId())
                        .setProducerEpoch(epoch)
                        .setGroupId(group);
                arm.call(client, "add offsets v" + version + " of " + epoch, RequestFrame.of(version, add));
            }
            for (short version = 0; version <= 4; version++) {
                arm.call(
                        client,
                        "commit offsets v" + version + " of " + epoch,
                        RequestFrame.of(version, commit(transaction, epoch, group, topic, missing)));
            }
            for (short version = 0; version <= 4 && epoch == 77; version++) {
                EndTxnRequestData end = new EndTxnRequestData()
                        .setTransactionalId(transaction.transactionalId())
                        .setProducerId(transaction.producerId())
                        .setProducerEpoch(epoch)
                        .setCommitted(true);
                arm.call(client, "end v" + version + " of " + epoch, RequestFrame.of(version, end));
            }
        }
        transaction.end(true);
        arm.fetch(client, topic, 0, 0);
        transaction.endRefused(false);
    }

    private static TxnOffsetCommitRequestData commit(
            RawTransaction transaction, short epoch, String group, TopicRef... topics) {
        TxnOffsetCommitRequestData commit = new TxnOffsetCommitRequestData()
                .setTransactionalId(transaction.transactionalId())
                .setGroupId(group)
                .setProducerId(transaction.producerId())
                .setProducerEpoch(epoch);
        for (TopicRef each : topics) {
            commit.topics()
                    .add(new TxnOffsetCommitRequestTopic()
                            .setName(each.name())
                            .setPartitions(List.of(new TxnOffsetCommitRequestPartition()
                                    .setPartitionIndex(0)
                                    .setCommittedOffset(epoch)
                                    .setCommittedMetadata("in a transaction"))));
        }
        return commit;
    }
}
