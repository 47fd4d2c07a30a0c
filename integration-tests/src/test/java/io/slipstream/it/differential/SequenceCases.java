// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static org.apache.kafka.common.protocol.ApiKeys.FETCH;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.util.List;

/** Idempotent producers: the broker's producer state for sequences that repeat, jump or have an older epoch. */
final class SequenceCases {
    private static final long PRODUCER_ID = BatchText.FIRST_CHOSEN_PRODUCER_ID + 7;

    private SequenceCases() {}

    static List<Case> all() {
        return List.of(
                Case.of("duplicate-sequence", SequenceCases::duplicate)
                        .byRdma(FETCH)
                        .producesByRdmaOnly()
                        .inCore(),
                Case.of("out-of-order-sequence", SequenceCases::outOfOrder)
                        .byRdma(FETCH)
                        .producesByRdmaOnly()
                        .inCore(),
                Case.of("sequence-wraps", SequenceCases::wraps).byRdma(FETCH).producesByRdmaOnly(),
                Case.of("older-producer-epoch", SequenceCases::olderEpoch)
                        .byRdma(FETCH)
                        .producesByRdmaOnly(),
                Case.of("duplicate-on-another-connection", SequenceCases::acrossConnections)
                        .byRdma(FETCH)
                        .producesByRdmaOnly());
    }

    private static void send(
            ArmContext arm, RawClient client, TopicRef topic, int epoch, int sequence, byte[]... values)
            throws IOException {
        arm.call(
                client,
                "epoch " + epoch + " sequence " + sequence,
                ProduceRequests.version(ProduceRequests.NEWEST, -1)
                        .add(topic, 0, Batches.idempotent(PRODUCER_ID, (short) epoch, sequence, values))
                        .frame());
    }

    private static void duplicate(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        byte[][] first = arm.values(3, 50);
        byte[][] second = arm.values(2, 50);
        send(arm, client, topic, 0, 0, first);
        send(arm, client, topic, 0, 0, first);
        send(arm, client, topic, 0, 3, second);
        send(arm, client, topic, 0, 0, first);
        send(arm, client, topic, 0, 3, second);
        for (int i = 0; i < 6; i++) { // the broker remembers the last five
            send(arm, client, topic, 0, 5 + i, arm.value(10));
        }
        send(arm, client, topic, 0, 0, first);
        arm.fetch(client, topic, 0, 0);
    }

    private static void outOfOrder(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        send(arm, client, topic, 0, 0, arm.values(2, 50));
        send(arm, client, topic, 0, 5, arm.value(50));
        send(arm, client, topic, 0, 2, arm.value(50));
        send(arm, client, topic, 1, 4, arm.value(50));
        send(arm, client, topic, 1, 0, arm.value(50));
        arm.fetch(client, topic, 0, 0);
    }

    /** Zero follows the largest integer, within a batch and between two. */
    private static void wraps(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        for (int epoch = 0; epoch < 2; epoch++) {
            int last = Integer.MAX_VALUE;
            send(arm, client, topic, epoch, epoch == 0 ? last - 2 : 0, arm.values(2, 50));
            send(arm, client, topic, epoch, last, arm.values(2, 50));
            send(arm, client, topic, epoch, 1, arm.values(2, 50));
            send(arm, client, topic, epoch, last, arm.values(2, 50));
        }
        arm.fetch(client, topic, 0, 0);
    }

    private static void olderEpoch(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        send(arm, client, topic, 3, 0, arm.value(50));
        send(arm, client, topic, 2, 0, arm.value(50));
        send(arm, client, topic, 2, 1, arm.value(50));
        send(arm, client, topic, 3, 1, arm.value(50));
        arm.fetch(client, topic, 0, 0);
    }

    private static void acrossConnections(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient first = arm.connect();
        RawClient second = arm.connect();
        byte[][] values = arm.values(2, 50);
        send(arm, first, topic, 0, 0, values);
        send(arm, second, topic, 0, 0, values);
        send(arm, second, topic, 0, 2, values);
        send(arm, first, topic, 0, 2, values);
        arm.fetch(first, topic, 0, 0);
    }
}
