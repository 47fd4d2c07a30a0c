// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static org.apache.kafka.common.protocol.ApiKeys.FETCH;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** Changes of a batch by the broker: recompression, timestamps, and refusal of single records. */
final class RecordCases {
    private static final long NOW_MS = Batches.FIRST_TIMESTAMP_MS;
    private static final long CENTURIES_LATER_MS = NOW_MS * 3;
    /** With record errors from version 8, flexible from 9, leader hints from 10, by topic id from 13. */
    private static final int[] VERSIONS = {3, 7, 8, 9, 10, 12, 13};

    private RecordCases() {}

    static List<Case> all() {
        return List.of(
                Case.of("produce-recompressed-from-each-codec-to-each", RecordCases::recompressed)
                        .byRdma(FETCH)
                        .producesByRdmaOnly(),
                Case.of("produce-recompressed-at-levels", RecordCases::levels)
                        .byRdma(FETCH)
                        .producesByRdmaOnly()
                        .inCore(),
                Case.of("produce-log-append-time-in-each-codec", RecordCases::logAppendTime)
                        .byRdma(FETCH)
                        .producesByRdmaOnly(),
                Case.of("produce-headers", RecordCases::headers)
                        .byRdma(FETCH)
                        .producesByRdmaOnly()
                        .inCore(),
                Case.of("produce-to-compacted-topic-some-without-key", RecordCases::compacted)
                        .producesByRdmaOnly()
                        .inCore(),
                Case.of("produce-time-stamps-out-of-range", RecordCases::timestamps)
                        .byRdma(FETCH)
                        .producesByRdmaOnly()
                        .inCore());
    }

    private static void recompressed(ArmContext arm) throws IOException {
        RawClient client = arm.connect();
        for (String stored : List.of("producer", "uncompressed", "gzip", "snappy", "lz4", "zstd")) {
            TopicRef topic = arm.topic(stored, 1, "compression.type", stored);
            for (CompressionType sent : CompressionType.values()) {
                arm.produce(client, topic, 0, Batches.of(sent, arm.values(5, 300)));
            }
            arm.fetch(client, topic, 0, 7);
        }
    }

    private static void levels(ArmContext arm) throws IOException {
        RawClient client = arm.connect();
        String[][] levels = {{"gzip", "1"}, {"gzip", "9"}, {"lz4", "17"}, {"zstd", "-5"}, {"zstd", "10"}};
        for (String[] each : levels) {
            TopicRef topic = arm.topic(
                    each[0] + each[1], 1, "compression.type", each[0], "compression." + each[0] + ".level", each[1]);
            arm.produce(client, topic, 0, Batches.of(CompressionType.SNAPPY, arm.values(20, 300)));
            arm.produce(client, topic, 0, Batches.of(CompressionType.forName(each[0]), arm.values(20, 300)));
            arm.fetch(client, topic, 0, 0);
        }
    }

    private static void logAppendTime(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1, "message.timestamp.type", "LogAppendTime");
        TopicRef anew = arm.topic("u", 1, "message.timestamp.type", "LogAppendTime", "compression.type", "lz4");
        RawClient client = arm.connect();
        for (CompressionType codec : CompressionType.values()) {
            for (int version : new int[] {7, 13}) {
                arm.call(
                        client,
                        codec + " v" + version,
                        ProduceRequests.version(version, -1)
                                .add(topic, 0, Batches.of(codec, arm.values(3, 100)))
                                .add(anew, 0, Batches.of(codec, arm.values(3, 100)))
                                .frame());
            }
        }
        arm.fetch(client, topic, 0, 0);
        arm.fetch(client, anew, 0, 4);
    }

    private static void headers(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        TopicRef anew = arm.topic("u", 1, "compression.type", "gzip");
        RawClient client = arm.connect();
        Header[] many = new Header[300];
        for (int i = 0; i < many.length; i++) {
            many[i] = new RecordHeader("key-" + i, i % 3 == 0 ? null : arm.value(i));
        }
        Header[] odd = {
            new RecordHeader("", new byte[0]),
            new RecordHeader("twice", null),
            new RecordHeader("twice", arm.value(10)),
            new RecordHeader("žluťoučký \uD83D\uDC0E", arm.value(70_000))
        };
        for (CompressionType codec : CompressionType.values()) {
            SimpleRecord[] records = {
                new SimpleRecord(NOW_MS, bytes("key"), arm.value(10), many),
                new SimpleRecord(NOW_MS, (byte[]) null, null, odd),
                new SimpleRecord(NOW_MS, new byte[0], new byte[0], new Header[0]),
            };
            for (TopicRef each : List.of(topic, anew)) {
                arm.produce(client, each, 0, Batches.ofRecords(codec, records));
            }
        }
        arm.fetch(client, topic, 0, 0);
        arm.fetch(client, anew, 0, 1);
    }

    /** A batch with one bad record is refused as a whole, and the answer names each bad record (from version 8). */
    private static void compacted(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 2, "cleanup.policy", "compact");
        RawClient client = arm.connect();
        for (CompressionType codec : List.of(CompressionType.NONE, CompressionType.GZIP)) {
            SimpleRecord[] keyed = new SimpleRecord[9];
            SimpleRecord[] some = new SimpleRecord[9];
            for (int i = 0; i < keyed.length; i++) {
                byte[] value = i == 4 ? null : arm.value(50);
                keyed[i] = new SimpleRecord(NOW_MS, bytes("key-" + i % 4), value);
                some[i] = new SimpleRecord(NOW_MS, i % 3 == 1 ? null : bytes("key-" + i % 4), value);
            }
            for (int version : VERSIONS) {
                arm.call(
                        client,
                        "some without key " + codec + " v" + version,
                        ProduceRequests.version(version, version % 2 == 0 ? 1 : -1)
                                .add(topic, 0, Batches.ofRecords(codec, some))
                                .add(topic, 1, Batches.ofRecords(codec, keyed))
                                .frame());
            }
        }
        arm.fetch(client, topic, 0, 0);
        arm.fetch(client, topic, 1, 3);
    }

    private static void timestamps(ArmContext arm) throws IOException {
        TopicRef old = arm.topic("old", 1, "message.timestamp.before.max.ms", "1000");
        TopicRef young = arm.topic("young", 1, "message.timestamp.after.max.ms", "1000");
        TopicRef any = arm.topic(
                "any",
                1,
                "message.timestamp.before.max.ms",
                Long.toString(Long.MAX_VALUE),
                "message.timestamp.after.max.ms",
                Long.toString(Long.MAX_VALUE));
        RawClient client = arm.connect();
        for (CompressionType codec : List.of(CompressionType.NONE, CompressionType.ZSTD)) {
            for (int version : VERSIONS) {
                if (codec == CompressionType.ZSTD && version < 7) {
                    continue;
                }
                ProduceRequests request = ProduceRequests.version(version, -1);
                for (TopicRef topic : List.of(old, young, any)) {
                    request.add(
                            topic,
                            0,
                            Batches.ofRecords(
                                    codec,
                                    new SimpleRecord(NOW_MS, null, arm.value(20)),
                                    new SimpleRecord(-1, null, arm.value(20)),
                                    new SimpleRecord(CENTURIES_LATER_MS, null, arm.value(20))));
                }
                arm.call(client, "time stamps " + codec + " v" + version, request.frame());
            }
        }
        for (TopicRef topic : List.of(old, young)) {
            arm.produce(
                    client,
                    topic,
                    0,
                    Batches.ofRecords(CompressionType.NONE, new SimpleRecord(-1, null, arm.value(20))));
        }
        arm.fetch(client, any, 0, 0);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
