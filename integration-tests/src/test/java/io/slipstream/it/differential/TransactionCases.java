// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * The view of read_uncommitted and read_committed on open, committed and aborted transactions. For refusals, see {@link
 * FencingCases}.
 */
final class TransactionCases {
    private TransactionCases() {}

    static List<Case> all() {
        return List.of(
                Case.of("transaction-open", TransactionCases::open)
                        .producesByRdmaOnly()
                        .fetchesByRdmaOnly()
                        .inCore(),
                Case.of("transaction-committed", TransactionCases::committed)
                        .producesByRdmaOnly()
                        .fetchesByRdmaOnly()
                        .inCore(),
                Case.of("transaction-aborted", TransactionCases::aborted)
                        .producesByRdmaOnly()
                        .fetchesByRdmaOnly()
                        .inCore(),
                Case.of("transactions-interleaved", TransactionCases::interleaved)
                        .producesByRdmaOnly()
                        .fetchesByRdmaOnly(),
                Case.of("transaction-markers-between-batches", TransactionCases::markersBetween)
                        .producesByRdmaOnly()
                        .fetchesByRdmaOnly()
                        .inCore(),
                Case.of("transactions-of-second-protocol", TransactionCases::secondProtocol)
                        .producesByRdmaOnly()
                        .fetchesByRdmaOnly()
                        .inCore(),
                Case.of("last-stable-offset-beside-transactions", TransactionCases::lastStableOffset)
                        .byRdma(ApiKeys.FETCH)
                        .producesByRdmaOnly()
                        .inCore(),
                Case.of("read-committed-without-transactions", TransactionCases::none)
                        .fetchesByRdmaOnly());
    }

    private static void fetchBoth(ArmContext arm, RawClient client, TopicRef topic, long... offsets)
            throws IOException {
        for (long offset : offsets) {
            for (int version : new int[] {FetchRequests.OLDEST, 12, FetchRequests.NEWEST}) {
                arm.call(
                        client,
                        "uncommitted v" + version + "@" + offset,
                        FetchRequests.version(version).add(topic, 0, offset).frame());
                arm.call(
                        client,
                        "committed v" + version + "@" + offset,
                        FetchRequests.version(version)
                                .readCommitted()
                                .add(topic, 0, offset)
                                .frame());
            }
        }
    }

    private static void open(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        arm.produce(client, topic, 0, arm.batch(2, 100));
        RawTransaction transaction = RawTransaction.begin(arm, client, "open", topic);
        transaction.produce(arm.values(2, 100));
        arm.produce(client, topic, 0, arm.batch(1, 100));
        fetchBoth(arm, client, topic, 0, 2, 3, 5);
        transaction.end(true);
    }

    private static void committed(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        RawTransaction transaction = RawTransaction.begin(arm, client, "committed", topic);
        transaction.produce(arm.values(2, 100));
        transaction.produce(arm.values(1, 100));
        transaction.end(true);
        arm.produce(client, topic, 0, arm.batch(1, 100));
        fetchBoth(arm, client, topic, 0, 2, 4);
    }

    private static void aborted(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        arm.produce(client, topic, 0, arm.batch(2, 100));
        RawTransaction transaction = RawTransaction.begin(arm, client, "aborted", topic);
        transaction.produce(arm.values(3, 100));
        transaction.end(false);
        arm.produce(client, topic, 0, arm.batch(1, 100));
        fetchBoth(arm, client, topic, 0, 3, 6);
    }

    private static void interleaved(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        RawTransaction first = RawTransaction.begin(arm, client, "first", topic);
        RawTransaction second = RawTransaction.begin(arm, client, "second", topic);
        first.produce(arm.values(1, 100));
        second.produce(arm.values(2, 100));
        first.produce(arm.values(1, 100));
        second.end(false);
        fetchBoth(arm, client, topic, 0, 1);
        first.end(true);
        fetchBoth(arm, client, topic, 0, 1, 4);
    }

    /**
     * Two idempotent producers and a plain one keep five requests in flight each; the broker's markers fall between
     * their batches.
     */
    private static void markersBetween(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient own = arm.connect();
        RawClient[] others = {arm.connect(), arm.connect(), arm.connect()};
        int sequence = 0;
        for (int round = 0; round < 4; round++) {
            RawTransaction transaction = RawTransaction.begin(arm, own, "between", topic);
            transaction.produce(arm.values(2, 100));
            for (int other = 0; other < others.length; other++) {
                send(arm, others[other], topic, other, sequence, round);
            }
            transaction.produce(arm.values(1, 100));
            transaction.end(round % 2 == 0);
            sequence += 5;
        }
        fetchBoth(arm, own, topic, 0, 9, 19);
    }

    /** Sends five batches at once, then reads their answers. */
    private static void send(ArmContext arm, RawClient client, TopicRef topic, int producer, int sequence, int round)
            throws IOException {
        for (int i = 0; i < 5; i++) {
            client.send(ProduceRequests.version(ProduceRequests.NEWEST, -1)
                    .add(
                            topic,
                            0,
                            producer == 0
                                    ? arm.batch(1, 50)
                                    : Batches.idempotent(
                                            BatchText.FIRST_CHOSEN_PRODUCER_ID + producer,
                                            (short) 0,
                                            sequence + i,
                                            arm.value(50)))
                    .frame());
        }
        for (int i = 0; i < 5; i++) {
            arm.transcript().note("round " + round + " producer " + producer, client.receive());
        }
    }

    private static void secondProtocol(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        RawTransaction transaction = RawTransaction.prepare(arm, client, "second", topic);
        for (boolean commit : new boolean[] {true, false, true, true}) {
            transaction.produce(RawTransaction.SECOND_PROTOCOL, arm.values(2, 100));
            arm.produce(client, topic, 0, arm.batch(1, 100));
            transaction.produce(RawTransaction.SECOND_PROTOCOL, arm.values(1, 100));
            transaction.endAndGoOn(commit);
        }
        fetchBoth(arm, client, topic, 0, 5, 17);
    }

    /** Fetch and ListOffsets with both isolation levels at each step of two overlapping transactions. */
    private static void lastStableOffset(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        RawClient reader = arm.connect();
        offsets(arm, reader, topic, "empty");
        arm.produce(client, topic, 0, arm.batch(2, 100));
        offsets(arm, reader, topic, "before");
        RawTransaction first = RawTransaction.begin(arm, client, "first", topic);
        first.produce(arm.values(2, 100));
        offsets(arm, reader, topic, "first open");
        arm.produce(client, topic, 0, arm.batch(1, 100));
        offsets(arm, reader, topic, "others behind it");
        RawTransaction second = RawTransaction.begin(arm, client, "second", topic);
        second.produce(arm.values(1, 100));
        offsets(arm, reader, topic, "both open");
        first.end(true);
        offsets(arm, reader, topic, "first committed");
        arm.produce(client, topic, 0, arm.batch(1, 100));
        offsets(arm, reader, topic, "others behind the second");
        second.end(false);
        offsets(arm, reader, topic, "second aborted");
    }

    private static void offsets(ArmContext arm, RawClient client, TopicRef topic, String when) throws IOException {
        for (byte isolation = 0; isolation <= 1; isolation++) {
            for (long timestamp : new long[] {-1, -2}) { // latest, earliest
                ListOffsetsRequestData request = new ListOffsetsRequestData()
                        .setReplicaId(-1)
                        .setIsolationLevel(isolation)
                        .setTopics(List.of(new ListOffsetsTopic()
                                .setName(topic.name())
                                .setPartitions(List.of(new ListOffsetsPartition()
                                        .setPartitionIndex(0)
                                        .setTimestamp(timestamp)))));
                arm.transcript().note(when + " " + isolation + " " + timestamp, client.call((short) 8, request));
            }
        }
        fetchBoth(arm, client, topic, 0, 2);
    }

    private static void none(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        arm.produce(client, topic, 0, arm.batch(3, 100));
        fetchBoth(arm, client, topic, 0, 1, 3);
    }
}
