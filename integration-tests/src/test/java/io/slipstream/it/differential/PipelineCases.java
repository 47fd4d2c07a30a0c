// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static org.apache.kafka.common.protocol.ApiKeys.FETCH;
import static org.apache.kafka.common.protocol.ApiKeys.PRODUCE;

import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.MetadataRequestData;

/** Many requests in flight on one connection: effects and responses in request order, whatever path each takes. */
final class PipelineCases {
    private PipelineCases() {}

    static List<Case> all() {
        return List.of(
                Case.of("pipelined-mixed-requests", PipelineCases::mixed)
                        .byRdma(PRODUCE, FETCH)
                        .inCore(),
                Case.of("pipelined-produce", PipelineCases::produceOnly)
                        .producesByRdmaOnly()
                        .inCore(),
                Case.of("pipelined-empty-fetches", PipelineCases::emptyFetches).byRdma(FETCH),
                Case.of("produce-behind-waiting-fetch", PipelineCases::behindWaitingFetch)
                        .byRdma(FETCH)
                        .inCore());
    }

    private static ListOffsetsRequestData latest(TopicRef topic) {
        return new ListOffsetsRequestData()
                .setReplicaId(-1)
                .setTopics(List.of(new ListOffsetsTopic()
                        .setName(topic.name())
                        .setPartitions(List.of(
                                new ListOffsetsPartition().setPartitionIndex(0).setTimestamp(-1)))));
    }

    private static void mixed(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 2);
        RawClient client = arm.connect();
        for (int round = 0; round < 20; round++) {
            int answers = 0;
            for (int i = 0; i < 12; i++) {
                answers += sendOne(arm, client, topic, round);
            }
            for (int i = 0; i < answers; i++) {
                arm.transcript().note("round " + round + " answer " + i, client.receive());
            }
        }
        // When a later request of the connection is answered, all earlier ones are done.
        arm.transcript().note("end", client.call((short) 7, latest(topic)));
    }

    /** Sends a random request and returns its number of answers. */
    private static int sendOne(ArmContext arm, RawClient client, TopicRef topic, int round) throws IOException {
        int partition = arm.random().nextInt(2);
        switch (arm.random().nextInt(6)) {
            case 0, 1 ->
                client.send(ProduceRequests.version(arm.random().nextBoolean() ? 12 : 13, 1)
                        .add(topic, partition, arm.batch(1, 200))
                        .frame());
            case 2 ->
                client.send(FetchRequests.version(arm.random().nextBoolean() ? 12 : 17)
                        .add(topic, partition, arm.random().nextInt(round + 1))
                        .frame());
            case 3 -> client.send((short) 7, latest(topic));
            case 4 -> client.send((short) 12, new MetadataRequestData().setTopics(List.of()));
            default -> {
                client.sendWithoutAnswer(ProduceRequests.version(ProduceRequests.NEWEST, 0)
                        .add(topic, partition, arm.batch(1, 100))
                        .frame());
                return 0;
            }
        }
        return 1;
    }

    private static void produceOnly(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        for (int i = 0; i < 300; i++) {
            client.send(ProduceRequests.version(ProduceRequests.NEWEST, i % 3 == 0 ? -1 : 1)
                    .add(topic, 0, arm.batch(1, 1 + arm.random().nextInt(2000)))
                    .frame());
        }
        for (int i = 0; i < 300; i++) {
            arm.transcript().note("produce " + i, client.receive());
        }
        arm.fetch(client, topic, 0, 0);
        arm.fetch(client, topic, 0, 250);
    }

    private static void emptyFetches(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        for (int i = 0; i < 100; i++) {
            client.send(
                    FetchRequests.version(FetchRequests.NEWEST).add(topic, 0, 0).frame());
        }
        for (int i = 0; i < 100; i++) {
            arm.transcript().note("fetch " + i, client.receive());
        }
    }

    /** The broker reads the second request only after it answered the first, so the fetch cannot see that produce. */
    private static void behindWaitingFetch(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        client.send(FetchRequests.version(FetchRequests.NEWEST)
                .minBytes(1, 300)
                .add(topic, 0, 0)
                .frame());
        client.send(ProduceRequests.version(ProduceRequests.NEWEST, 1)
                .add(topic, 0, arm.batch(1, 100))
                .frame());
        client.send((short) 7, latest(topic));
        for (int i = 0; i < 3; i++) {
            arm.transcript().note("answer " + i, client.receive());
        }
    }
}
