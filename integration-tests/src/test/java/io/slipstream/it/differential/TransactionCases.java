package io.slipstream.it.differential;

import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.util.List;

/** What read_uncommitted and read_committed see of open, committed and aborted transactions. */
final class TransactionCases {
    private TransactionCases() {}

    static List<Case> all() {
        return List.of(
                Case.of("transaction-open", TransactionCases::open).inCore(),
                Case.of("transaction-committed", TransactionCases::committed).inCore(),
                Case.of("transaction-aborted", TransactionCases::aborted).inCore(),
                Case.of("transactions-interleaved", TransactionCases::interleaved),
                Case.of("read-committed-without-transactions", TransactionCases::none)
                        .byRdma(Case.Api.FETCH));
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

    private static void none(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        arm.produce(client, topic, 0, arm.batch(3, 100));
        fetchBoth(arm, client, topic, 0, 1, 3);
    }
}
