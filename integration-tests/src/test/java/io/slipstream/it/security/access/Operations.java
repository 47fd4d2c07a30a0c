// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security.access;

import static org.awaitility.Awaitility.await;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.ProducerIds;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.it.security.access.Resources.Topic;
import io.slipstream.process.Patience;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.protocol.Errors;

/** The operations of users, each a script for one connection. */
final class Operations {
    /** The last versions with topic names instead of ids. */
    private static final short PRODUCE_BY_NAME = 12;

    private static final short FETCH_BY_NAME = 12;
    private static final Duration COORDINATOR_PATIENCE = Patience.ofSeconds(20);

    private Operations() {}

    static AccessCase.Script produce(int version, int acks, Topic... topics) {
        return client -> {
            ProduceRequests request = ProduceRequests.version(version, acks);
            for (Topic topic : topics) {
                request.add(client.topic(topic), 0, Batches.of(bytes("produced")));
            }
            return acks == 0 ? client.callWithoutAnswer(request.frame()) : client.call(request.frame());
        };
    }

    static AccessCase.Script produce(Topic... topics) {
        return produce(ProduceRequests.NEWEST, 1, topics);
    }

    static AccessCase.Script produceByName(Topic... topics) {
        return produce(PRODUCE_BY_NAME, -1, topics);
    }

    static AccessCase.Script fetch(int version, Topic... topics) {
        return client -> {
            FetchRequests request = FetchRequests.version(version);
            for (Topic topic : topics) {
                request.add(client.topic(topic), 0, 0);
            }
            return client.call(request.frame());
        };
    }

    static AccessCase.Script fetch(Topic... topics) {
        return fetch(FetchRequests.NEWEST, topics);
    }

    static AccessCase.Script fetchByName(Topic... topics) {
        return fetch(FETCH_BY_NAME, topics);
    }

    static AccessCase.Script fetchCommitted(Topic topic) {
        return client -> client.call(FetchRequests.version(FetchRequests.NEWEST)
                .readCommitted()
                .add(client.topic(topic), 0, 0)
                .frame());
    }

    /** Waits for records that never come; only an authorized user can wait. */
    static AccessCase.Script fetchAtTheEnd(Topic topic) {
        return client -> client.call(FetchRequests.version(FetchRequests.NEWEST)
                .minBytes(1, 50)
                .add(client.topic(topic), 0, 3)
                .frame());
    }

    static AccessCase.Script fetchMissing(int version) {
        return client -> client.call(FetchRequests.version(version)
                        .add(RawTopics.missing("missing"), 0, 0)
                        .frame())
                .replaceAll("missing-\\d+", "missing")
                .replaceAll("(?m)^\\S{22}-0 ", "missing-id-0 ");
    }

    static AccessCase.Script produceMissing(int version) {
        return client -> client.call(ProduceRequests.version(version, 1)
                        .add(RawTopics.missing("missing"), 0, Batches.of(bytes("lost")))
                        .frame())
                .replaceAll("missing-\\d+", "missing")
                .replaceAll("(?m)^\\S{22}-0 ", "missing-id-0 ");
    }

    /** With its own producer id, like stock producers. */
    static AccessCase.Script produceIdempotent(Topic topic) {
        return client -> {
            InitProducerIdResponseData id = ProducerIds.of(client.raw(), null);
            if (id.errorCode() != Errors.NONE.code()) {
                return "no id: " + Errors.forCode(id.errorCode());
            }
            return client.call(ProduceRequests.version(ProduceRequests.NEWEST, -1)
                    .add(
                            client.topic(topic),
                            0,
                            Batches.idempotent(id.producerId(), id.producerEpoch(), 0, bytes("idempotent")))
                    .frame());
        };
    }

    /** A batch with a foreign transactional id, without contact to a coordinator. */
    static AccessCase.Script produceIntoForeignTransaction(Topic topic) {
        return client -> client.call(ProduceRequests.version(11, -1)
                .transactionalId("of-somebody-else")
                .add(client.topic(topic), 0, Batches.transactional(4_711, (short) 0, 0, bytes("foreign")))
                .frame());
    }

    /** A whole transaction with an id that Alice may use. */
    static AccessCase.Script transaction(Topic topic) {
        return client -> {
            String transactionalId = client.ownTransactionalId();
            InitProducerIdResponseData id = ProducerIds.of(client.raw(), transactionalId);
            if (id.errorCode() != Errors.NONE.code()) {
                return "no id: " + Errors.forCode(id.errorCode());
            }
            String added = settled(() -> {
                AddPartitionsToTxnRequestData add = new AddPartitionsToTxnRequestData()
                        .setV3AndBelowTransactionalId(transactionalId)
                        .setV3AndBelowProducerId(id.producerId())
                        .setV3AndBelowProducerEpoch(id.producerEpoch());
                add.v3AndBelowTopics()
                        .add(new AddPartitionsToTxnTopic()
                                .setName(client.topic(topic).name())
                                .setPartitions(List.of(0)));
                return client.call(RequestFrame.of((short) 3, add));
            });
            String produced = client.call(ProduceRequests.version(11, -1)
                    .transactionalId(transactionalId)
                    .add(
                            client.topic(topic),
                            0,
                            Batches.transactional(id.producerId(), id.producerEpoch(), 0, bytes("committed")))
                    .frame());
            EndTxnResponseData ended = client.raw()
                    .call(
                            3,
                            new EndTxnRequestData()
                                    .setTransactionalId(transactionalId)
                                    .setProducerId(id.producerId())
                                    .setProducerEpoch(id.producerEpoch())
                                    .setCommitted(true),
                            EndTxnResponseData.class);
            return added + '\n' + produced + "\nend " + Errors.forCode(ended.errorCode());
        };
    }

    private interface Question {
        String ask() throws Exception;
    }

    private static String settled(Question question) {
        String[] answer = new String[1];
        await().atMost(COORDINATOR_PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> {
                    answer[0] = question.ask();
                    return !answer[0].contains("partitionErrorCode=" + Errors.CONCURRENT_TRANSACTIONS.code());
                });
        return answer[0];
    }

    static AccessCase.Script listOffsets(Topic topic) {
        return client -> client.call(RequestFrame.of(
                        (short) 7,
                        new ListOffsetsRequestData()
                                .setReplicaId(-1)
                                .setTopics(List.of(new ListOffsetsTopic()
                                        .setName(client.topic(topic).name())
                                        .setPartitions(List.of(new ListOffsetsPartition()
                                                .setPartitionIndex(0)
                                                .setTimestamp(-2)))))))
                .replaceAll("timestamp=\\d+", "timestamp=T");
    }

    /** Addresses differ between paths. */
    static AccessCase.Script metadata(Topic topic) {
        return client -> {
            String text = client.call(RequestFrame.of(
                    (short) 12,
                    new MetadataRequestData()
                            .setAllowAutoTopicCreation(false)
                            .setTopics(List.of(new MetadataRequestTopic()
                                    .setName(client.topic(topic).name())))));
            return text.substring(text.indexOf("topics="));
        };
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
