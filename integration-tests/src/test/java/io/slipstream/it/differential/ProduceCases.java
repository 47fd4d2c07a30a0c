// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static org.apache.kafka.common.protocol.ApiKeys.FETCH;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.record.internal.CompressionType;

/** Correct Produce requests, and well-formed ones that the broker refuses. */
final class ProduceCases {
    private ProduceCases() {}

    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        for (CompressionType codec : CompressionType.values()) {
            cases.add(Case.of("codec-" + codec.name, arm -> codec(arm, codec))
                    .byRdma(FETCH)
                    .producesByRdmaOnly()
                    .inCore());
        }
        cases.add(Case.of("partitions-and-topics-in-one-request", ProduceCases::partitionsAndTopics)
                .byRdma(FETCH)
                .producesByRdmaOnly()
                .inCore());
        cases.add(Case.of("acks", ProduceCases::acks).producesByRdmaOnly().inCore());
        cases.add(Case.of("acks-0-then-visible", ProduceCases::noAcks)
                .byRdma(FETCH)
                .producesByRdmaOnly()
                .inCore());
        cases.add(Case.of("acks-0-to-unknown-partition", ProduceCases::noAcksToUnknownPartition));
        cases.add(Case.of("acks-invalid", ProduceCases::invalidAcks).producesByRdmaOnly());
        cases.add(Case.of("produce-every-version", ProduceCases::everyVersion)
                .byRdma(FETCH)
                .producesByRdmaOnly()
                .inCore());
        cases.add(Case.of("produce-unknown-topic", ProduceCases::unknownTopic)
                .producesByRdmaOnly()
                .inCore());
        cases.add(Case.of("produce-unknown-partition", ProduceCases::unknownPartition)
                .producesByRdmaOnly()
                .inCore());
        cases.add(Case.of("produce-too-large-record", ProduceCases::tooLarge)
                .producesByRdmaOnly()
                .inCore());
        cases.add(Case.of("produce-large-batch", ProduceCases::largeBatch).producesByRdmaOnly());
        cases.add(Case.of("produce-log-append-time", ProduceCases::logAppendTime)
                .byRdma(FETCH)
                .producesByRdmaOnly());
        cases.add(Case.of("produce-recompressed-by-broker", ProduceCases::recompressed)
                .byRdma(FETCH)
                .producesByRdmaOnly());
        cases.add(Case.of("produce-to-compacted-topic-without-key", ProduceCases::compactedWithoutKey)
                .producesByRdmaOnly());
        cases.add(Case.of("produce-nothing", ProduceCases::nothing).fallsBackFor("not_eligible"));
        return cases;
    }

    private static void codec(ArmContext arm, CompressionType codec) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        for (int i = 0; i < 4; i++) {
            arm.produce(client, topic, 0, Batches.of(codec, arm.values(1 + i * 10, 200)));
        }
        arm.fetch(client, topic, 0, 0);
        arm.fetch(client, topic, 0, 15);
    }

    private static void partitionsAndTopics(ArmContext arm) throws IOException {
        TopicRef a = arm.topic("a", 3);
        TopicRef b = arm.topic("b", 2);
        RawClient client = arm.connect();
        for (int round = 0; round < 3; round++) {
            arm.call(
                    client,
                    "round " + round,
                    ProduceRequests.version(ProduceRequests.NEWEST, 1)
                            .add(a, 0, arm.batch(1, 100))
                            .add(a, 2, arm.batch(3, 50))
                            .add(b, 1, arm.batch(2, 1000))
                            .frame());
        }
        arm.fetch(client, a, 0, 0);
        arm.fetch(client, a, 1, 0);
        arm.fetch(client, a, 2, 4);
        arm.fetch(client, b, 1, 1);
    }

    private static void acks(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        for (int acks : new int[] {1, -1, 1}) {
            arm.call(
                    client,
                    "acks " + acks,
                    ProduceRequests.version(ProduceRequests.NEWEST, acks)
                            .add(topic, 0, arm.batch(2, 100))
                            .frame());
        }
    }

    /**
     * The broker reads a connection's next request only when the last one is done: the fetch must see the acks=0
     * records.
     */
    private static void noAcks(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 2);
        RawClient client = arm.connect();
        for (int round = 0; round < 5; round++) {
            client.sendWithoutAnswer(ProduceRequests.version(ProduceRequests.NEWEST, 0)
                    .add(topic, 0, arm.batch(1, 100))
                    .add(topic, 1, arm.batch(2, 10))
                    .frame());
            arm.fetch(client, topic, 0, round);
        }
        arm.produce(client, topic, 0, arm.batch(1, 1));
        arm.fetch(client, topic, 1, 0);
    }

    /** An error of an acks=0 request is only visible as a closed connection. */
    private static void noAcksToUnknownPartition(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        client.sendWithoutAnswer(ProduceRequests.version(ProduceRequests.NEWEST, 0)
                .add(topic, 7, arm.batch(1, 100))
                .frame());
        arm.note("closed", client.awaitClosed());
    }

    private static void invalidAcks(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        arm.callOrClose(
                arm.connect(),
                "acks 5",
                ProduceRequests.version(ProduceRequests.NEWEST, 5)
                        .add(topic, 0, arm.batch(1, 100))
                        .frame());
    }

    private static void everyVersion(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        for (int version = ProduceRequests.OLDEST; version <= ProduceRequests.NEWEST; version++) {
            arm.call(
                    client,
                    "v" + version,
                    ProduceRequests.version(version, 1)
                            .add(topic, 0, arm.batch(2, 100))
                            .frame());
            arm.callOrClose(
                    client,
                    "zstd v" + version,
                    ProduceRequests.version(version, 1)
                            .add(topic, 0, Batches.of(CompressionType.ZSTD, arm.value(200)))
                            .frame());
        }
        arm.fetch(client, topic, 0, 0);
    }

    private static void unknownTopic(ArmContext arm) throws IOException {
        TopicRef known = arm.topic("known", 1);
        TopicRef missing = arm.missingTopic("missing");
        RawClient client = arm.connect();
        for (int version : new int[] {ProduceRequests.OLDEST, 12, 13}) {
            arm.call(
                    client,
                    "v" + version,
                    ProduceRequests.version(version, 1)
                            .add(missing, 0, arm.batch(1, 100))
                            .add(known, 0, arm.batch(1, 100))
                            .frame());
        }
        TopicRef illegal = new TopicRef("no/such*name", missing.id());
        arm.callOrClose(
                client,
                "illegal name",
                ProduceRequests.version(12, 1)
                        .add(illegal, 0, arm.batch(1, 100))
                        .frame());
        arm.fetch(client, known, 0, 0);
    }

    private static void unknownPartition(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 2);
        RawClient client = arm.connect();
        for (int partition : new int[] {2, -1, Integer.MAX_VALUE}) {
            arm.call(
                    client,
                    "partition " + partition,
                    ProduceRequests.version(ProduceRequests.NEWEST, -1)
                            .add(topic, 1, arm.batch(1, 100))
                            .add(topic, partition, arm.batch(1, 100))
                            .frame());
        }
        arm.fetch(client, topic, 1, 0);
    }

    private static void tooLarge(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1, "max.message.bytes", "2000");
        RawClient client = arm.connect();
        arm.produce(client, topic, 0, arm.batch(1, 1000));
        arm.produce(client, topic, 0, arm.batch(1, 4000));
        arm.produce(client, topic, 0, arm.batch(1, 900));
        arm.fetch(client, topic, 0, 0);
    }

    private static void largeBatch(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        for (int sizeBytes : new int[] {100_000, 1_000_000, 10, 1_047_000, 1_049_000}) {
            arm.produce(client, topic, 0, arm.batch(1, sizeBytes));
        }
        arm.fetch(client, topic, 0, 0);
        arm.fetch(client, topic, 0, 1);
        arm.fetch(client, topic, 0, 3);
    }

    private static void logAppendTime(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1, "message.timestamp.type", "LogAppendTime");
        RawClient client = arm.connect();
        arm.produce(client, topic, 0, arm.batch(3, 100));
        arm.fetch(client, topic, 0, 0);
    }

    private static void recompressed(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1, "compression.type", "lz4");
        RawClient client = arm.connect();
        arm.produce(client, topic, 0, arm.batch(20, 300));
        arm.produce(client, topic, 0, Batches.of(CompressionType.LZ4, arm.values(20, 300)));
        arm.fetch(client, topic, 0, 0);
    }

    private static void compactedWithoutKey(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1, "cleanup.policy", "compact");
        RawClient client = arm.connect();
        arm.produce(client, topic, 0, arm.batch(3, 100));
        arm.fetch(client, topic, 0, 0);
    }

    private static void nothing(ArmContext arm) throws IOException {
        RawClient client = arm.connect();
        arm.callOrClose(
                client,
                "no topics",
                ProduceRequests.version(ProduceRequests.NEWEST, 1).frame());
    }
}
