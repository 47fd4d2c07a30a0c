// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static org.apache.kafka.common.protocol.ApiKeys.FETCH;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.util.List;

/**
 * Transactional Produce requests that a broker must refuse: partitions outside a transaction, an older epoch, a wrong
 * id.
 */
final class FencingCases {
    private static final int[] VERSIONS = {3, 9, RawTransaction.FIRST_PROTOCOL, RawTransaction.SECOND_PROTOCOL, 13};

    private FencingCases() {}

    static List<Case> all() {
        return List.of(
                Case.of("transaction-not-verified", FencingCases::notVerified)
                        .producesByRdmaOnly()
                        .inCore(),
                Case.of("transaction-ended-then-produced", FencingCases::ended)
                        .producesByRdmaOnly()
                        .inCore(),
                Case.of("transaction-of-older-epoch", FencingCases::olderEpoch)
                        .producesByRdmaOnly()
                        .inCore(),
                Case.of("transaction-out-of-sequence", FencingCases::outOfSequence)
                        .producesByRdmaOnly(),
                Case.of("transactional-id-wrong", FencingCases::wrongId)
                        .byRdma(FETCH)
                        .producesByRdmaOnly());
    }

    private static void fetchBoth(ArmContext arm, RawClient client, TopicRef topic) throws IOException {
        arm.fetch(client, topic, 0, 0);
        arm.call(
                client,
                "committed",
                FetchRequests.version(12).readCommitted().add(topic, 0, 0).frame());
    }

    /** In the first protocol the coordinator must know the partition; in the second one the Produce adds it. */
    private static void notVerified(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        arm.produce(client, topic, 0, arm.batch(1, 50));
        RawTransaction transaction = RawTransaction.prepare(arm, client, "loose", topic);
        for (int version : new int[] {3, 9, RawTransaction.FIRST_PROTOCOL}) {
            transaction.produceRefused(version, transaction.transactionalId(), arm.values(1, 50));
        }
        transaction.add();
        transaction.produce(arm.values(2, 50));
        transaction.end(true);
        fetchBoth(arm, client, topic);
    }

    private static void ended(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        for (boolean commit : new boolean[] {true, false}) {
            RawTransaction transaction = RawTransaction.begin(arm, client, "ended", topic);
            transaction.produce(arm.values(2, 50));
            transaction.end(commit);
            for (int version : new int[] {3, 9, RawTransaction.FIRST_PROTOCOL}) {
                transaction.produceRefused(version, transaction.transactionalId(), arm.values(1, 50));
            }
        }
        fetchBoth(arm, client, topic);
    }

    /**
     * Another instance of the producer takes over during a transaction: the first one's records are aborted and its
     * further writes refused.
     */
    private static void olderEpoch(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        RawClient other = arm.connect();
        RawTransaction zombie = RawTransaction.begin(arm, client, "fenced", topic);
        zombie.produce(arm.values(2, 50));
        RawTransaction successor = RawTransaction.begin(arm, other, "fenced", topic);
        for (int version : VERSIONS) {
            zombie.produceRefused(version, zombie.transactionalId(), arm.values(1, 50));
        }
        zombie.endRefused(true);
        successor.produce(arm.values(3, 50));
        for (int version : VERSIONS) {
            zombie.produceRefused(version, zombie.transactionalId(), arm.values(1, 50));
        }
        successor.end(true);
        zombie.produceRefused(RawTransaction.FIRST_PROTOCOL, zombie.transactionalId(), arm.values(1, 50));
        fetchBoth(arm, client, topic);
    }

    /** Pipelined in one transaction: a repeated batch, a gap, and later batches. */
    private static void outOfSequence(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        RawTransaction transaction = RawTransaction.begin(arm, client, "sequence", topic);
        int[] sequences = {0, 1, 1, 2, 5, 3, 0, 9, 4};
        for (int sequence : sequences) {
            client.send(transaction.frameAt(sequence, arm.value(50)));
        }
        for (int sequence : sequences) {
            arm.transcript().note("sequence " + sequence, client.receive());
        }
        transaction.end(true);
        fetchBoth(arm, client, topic);
    }

    private static void wrongId(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        RawTransaction transaction = RawTransaction.begin(arm, client, "right", topic);
        for (int version : VERSIONS) {
            transaction.produceRefused(version, null, arm.values(1, 50));
            transaction.produceRefused(version, "wrong-" + topic.name(), arm.values(1, 50));
        }
        for (int version : VERSIONS) {
            arm.call(
                    client,
                    "plain batch under a transactional id v" + version,
                    ProduceRequests.version(version, -1)
                            .transactionalId(transaction.transactionalId())
                            .add(topic, 0, Batches.of(arm.value(50)))
                            .frame());
        }
        transaction.produce(arm.values(1, 50));
        transaction.end(true);
        fetchBoth(arm, client, topic);
    }
}
