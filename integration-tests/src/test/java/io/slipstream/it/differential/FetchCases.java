// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static org.apache.kafka.common.protocol.ApiKeys.FETCH;
import static org.apache.kafka.common.protocol.ApiKeys.PRODUCE;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.message.DeleteRecordsRequestData;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsPartition;
import org.apache.kafka.common.message.DeleteRecordsRequestData.DeleteRecordsTopic;
import org.apache.kafka.common.record.internal.CompressionType;

/** The bytes and watermarks of Fetch answers, by version, offset and log start. */
final class FetchCases {
    private FetchCases() {}

    static List<Case> all() {
        return List.of(
                Case.of("fetch-every-version", FetchCases::everyVersion)
                        .byRdma(FETCH)
                        .inCore(),
                Case.of("fetch-by-name-and-by-id", FetchCases::byNameAndById)
                        .byRdma(FETCH)
                        .inCore(),
                Case.of("fetch-within-batches", FetchCases::withinBatches)
                        .byRdma(FETCH)
                        .inCore(),
                Case.of("fetch-offset-out-of-range", FetchCases::outOfRange)
                        .byRdma(FETCH)
                        .inCore(),
                Case.of("fetch-after-delete-records", FetchCases::deleteRecords)
                        .byRdma(PRODUCE, FETCH)
                        .inCore(),
                Case.of("fetch-unknown-topic-or-partition", FetchCases::unknown).inCore(),
                Case.of("fetch-zstd-with-old-version", FetchCases::zstdOldVersion),
                Case.of("fetch-as-replica", FetchCases::asReplica),
                Case.of("fetch-with-rack", FetchCases::withRack),
                Case.of("fetch-nothing", FetchCases::nothing),
                Case.of("fetch-session", FetchCases::session).byRdma(FETCH).inCore(),
                Case.of("fetch-follows-produce", FetchCases::followsProduce)
                        .byRdma(PRODUCE, FETCH)
                        .inCore());
    }

    private static void everyVersion(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        arm.produce(client, topic, 0, arm.batch(3, 100));
        for (int version = FetchRequests.OLDEST; version <= FetchRequests.NEWEST; version++) {
            arm.call(
                    client,
                    "v" + version,
                    FetchRequests.version(version).add(topic, 0, 1).frame());
            arm.call(
                    client,
                    "at end v" + version,
                    FetchRequests.version(version).add(topic, 0, 3).frame());
        }
    }

    private static void byNameAndById(ArmContext arm) throws IOException {
        TopicRef a = arm.topic("a", 2);
        TopicRef b = arm.topic("b", 1);
        RawClient client = arm.connect();
        arm.produce(client, a, 0, arm.batch(2, 100));
        arm.produce(client, a, 1, arm.batch(2, 200));
        arm.produce(client, b, 0, arm.batch(2, 300));
        for (int version : new int[] {12, 13}) {
            arm.call(
                    client,
                    "v" + version,
                    FetchRequests.version(version)
                            .add(b, 0, 0)
                            .add(a, 1, 0)
                            .add(a, 0, 1)
                            .frame());
        }
    }

    private static void withinBatches(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        for (int i = 0; i < 10; i++) {
            arm.produce(
                    client,
                    topic,
                    0,
                    arm.batch(1 + arm.random().nextInt(9), 1 + arm.random().nextInt(3000)));
        }
        for (int offset = 0; offset < 12; offset++) {
            arm.fetch(client, topic, 0, offset);
        }
    }

    private static void outOfRange(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        arm.fetch(client, topic, 0, 0);
        arm.fetch(client, topic, 0, 1);
        arm.produce(client, topic, 0, arm.batch(5, 100));
        for (long offset : new long[] {5, 6, 1000, -1, -2, Long.MAX_VALUE, Long.MIN_VALUE, 0}) {
            arm.fetch(client, topic, 0, offset);
        }
    }

    private static void deleteRecords(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        for (int i = 0; i < 6; i++) {
            arm.produce(client, topic, 0, arm.batch(2, 100));
        }
        arm.fetch(client, topic, 0, 0);
        DeleteRecordsRequestData request = new DeleteRecordsRequestData().setTimeoutMs(5000);
        request.topics()
                .add(new DeleteRecordsTopic()
                        .setName(topic.name())
                        .setPartitions(List.of(new DeleteRecordsPartition()
                                .setPartitionIndex(0)
                                .setOffset(5))));
        arm.transcript().note("delete below 5", client.call((short) 2, request));
        arm.fetch(client, topic, 0, 4);
        arm.fetch(client, topic, 0, 5);
        arm.fetch(client, topic, 0, 6);
        arm.fetch(client, topic, 0, 12);
        arm.produce(client, topic, 0, arm.batch(1, 100));
        arm.fetch(client, topic, 0, 11);
    }

    private static void unknown(ArmContext arm) throws IOException {
        TopicRef known = arm.topic("known", 1);
        TopicRef missing = arm.missingTopic("missing");
        RawClient client = arm.connect();
        arm.produce(client, known, 0, arm.batch(1, 100));
        for (int version : new int[] {FetchRequests.OLDEST, 12, 13, FetchRequests.NEWEST}) {
            arm.call(
                    client,
                    "topic v" + version,
                    FetchRequests.version(version)
                            .add(missing, 0, 0)
                            .add(known, 0, 0)
                            .frame());
            arm.call(
                    client,
                    "partition v" + version,
                    FetchRequests.version(version)
                            .add(known, 3, 0)
                            .add(known, 0, 0)
                            .add(known, -1, 0)
                            .frame());
        }
    }

    private static void zstdOldVersion(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        arm.produce(client, topic, 0, arm.batch(1, 100));
        arm.produce(client, topic, 0, Batches.of(CompressionType.ZSTD, arm.value(100)));
        for (int version : new int[] {4, 9, 10}) {
            for (int offset : new int[] {0, 1}) {
                arm.call(
                        client,
                        "v" + version + "@" + offset,
                        FetchRequests.version(version).add(topic, 0, offset).frame());
            }
        }
    }

    private static void asReplica(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        arm.produce(client, topic, 0, arm.batch(1, 100));
        FetchRequests request = FetchRequests.version(14).add(topic, 0, 0);
        request.data().setReplicaId(7);
        arm.callOrClose(client, "replica 7", request.frame());
    }

    private static void withRack(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        arm.produce(client, topic, 0, arm.batch(1, 100));
        FetchRequests request = FetchRequests.version(FetchRequests.NEWEST).add(topic, 0, 0);
        request.data().setRackId("r1");
        arm.call(client, "rack r1", request.frame());
    }

    private static void nothing(ArmContext arm) throws IOException {
        RawClient client = arm.connect();
        for (int version : new int[] {FetchRequests.OLDEST, 12, FetchRequests.NEWEST}) {
            arm.callOrClose(
                    client,
                    "v" + version,
                    FetchRequests.version(version).minBytes(0, 0).frame());
        }
    }

    /** With or without a session, the client must get each record once and see the same watermarks. */
    private static void session(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 3);
        RawClient client = arm.connect();
        SessionConsumer consumer = new SessionConsumer(client, topic, 3);
        for (int round = 0; round < 6; round++) {
            int partition = arm.random().nextInt(3);
            arm.produce(client, topic, partition, arm.batch(2, 100));
            arm.note("round " + round, consumer.poll());
        }
        arm.note("idle", consumer.poll());
        arm.call(
                client,
                "foreign session",
                FetchRequests.version(FetchRequests.NEWEST)
                        .session(123_456_789, 5)
                        .frame());
    }

    private static void followsProduce(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient producer = arm.connect();
        RawClient consumer = arm.connect();
        for (int i = 0; i < 20; i++) {
            arm.produce(producer, topic, 0, arm.batch(1, 1 + arm.random().nextInt(2000)));
            arm.fetch(consumer, topic, 0, i);
        }
    }
}
