// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static org.apache.kafka.common.protocol.ApiKeys.FETCH;
import static org.apache.kafka.common.protocol.ApiKeys.PRODUCE;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.record.internal.CompressionType;

/** Random scripts from the seed, for unforeseen combinations. */
final class RandomCases {
    private static final int STEPS = 150;
    private static final int PARTITIONS = 3;
    /** Few, because after an offset outside the log the proxy leaves fetches to the broker for up to a second. */
    private static final int ONE_IN_OFFSETS_FAR_OFF = 40;

    private RandomCases() {}

    static List<Case> all() {
        return List.of(
                Case.of("random-1", RandomCases::script).byRdma(PRODUCE, FETCH).inCore(),
                Case.of("random-2", RandomCases::script).byRdma(PRODUCE, FETCH),
                Case.of("random-3", RandomCases::script).byRdma(PRODUCE, FETCH));
    }

    private static void script(ArmContext arm) throws IOException {
        TopicRef[] topics = {arm.topic("a", PARTITIONS), arm.topic("b", PARTITIONS)};
        RawClient[] clients = {arm.connect(), arm.connect()};
        for (int step = 0; step < STEPS; step++) {
            RawClient client = clients[arm.random().nextInt(clients.length)];
            if (arm.random().nextInt(3) == 0) {
                arm.call(client, step + " produce", produce(arm, topics).frame());
            } else {
                arm.call(client, step + " fetch", fetch(arm, topics, step).frame());
            }
        }
    }

    private static ProduceRequests produce(ArmContext arm, TopicRef[] topics) {
        int version =
                ProduceRequests.OLDEST + arm.random().nextInt(ProduceRequests.NEWEST - ProduceRequests.OLDEST + 1);
        ProduceRequests request = ProduceRequests.version(version, arm.random().nextBoolean() ? 1 : -1);
        for (TopicRef topic : topics) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                if (arm.random().nextInt(3) == 0) {
                    CompressionType codec =
                            CompressionType.values()[arm.random().nextInt(5)];
                    request.add(
                            topic,
                            partition,
                            Batches.of(
                                    codec,
                                    arm.values(
                                            1 + arm.random().nextInt(20),
                                            arm.random().nextInt(1500))));
                }
            }
        }
        return request;
    }

    private static FetchRequests fetch(ArmContext arm, TopicRef[] topics, int step) {
        int version = FetchRequests.OLDEST + arm.random().nextInt(FetchRequests.NEWEST - FetchRequests.OLDEST + 1);
        FetchRequests request = FetchRequests.version(version)
                .minBytes(arm.random().nextInt(3) * 1000, arm.random().nextInt(20))
                .maxBytes(1 << (1 + arm.random().nextInt(22)));
        for (TopicRef topic : topics) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                if (arm.random().nextInt(2) == 0) {
                    int offset = arm.random().nextInt(ONE_IN_OFFSETS_FAR_OFF) == 0
                            ? -1 + arm.random().nextInt(400)
                            : arm.random().nextInt(1 + step / 2);
                    request.add(topic, partition, offset, 1 << arm.random().nextInt(20));
                }
            }
        }
        return request;
    }
}
