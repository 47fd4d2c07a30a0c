// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static org.apache.kafka.common.protocol.ApiKeys.FETCH;
import static org.apache.kafka.common.protocol.ApiKeys.PRODUCE;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Partly refused requests, by content or by topic, and old record formats. */
final class RefusedPartCases {
    private RefusedPartCases() {}

    static List<Case> all() {
        return List.of(
                Case.of("produce-each-partition-wrong-in-turn", RefusedPartCases::oneWrong)
                        .byRdma(FETCH)
                        .producesByRdmaOnly()
                        .inCore(),
                Case.of("produce-message-sets-of-old-formats", RefusedPartCases::messageSets)
                        .byRdma(PRODUCE)
                        .fallsBackFor("not_eligible")
                        .inCore(),
                Case.of("produce-unknown-topic-ids", RefusedPartCases::unknownIds)
                        .byRdma(FETCH)
                        .producesByRdmaOnly(),
                Case.of("produce-to-recreated-topic", RefusedPartCases::recreated)
                        .byRdma(FETCH)
                        .producesByRdmaOnly()
                        .inCore());
    }

    /** Every version; in each request another of five topics gets refused content, for five different reasons. */
    private static void oneWrong(ArmContext arm) throws IOException {
        TopicRef plain = arm.topic("plain", 2);
        TopicRef small = arm.topic("small", 1, "max.message.bytes", "500");
        TopicRef compacted = arm.topic("compacted", 1, "cleanup.policy", "compact");
        TopicRef recent = arm.topic("recent", 1, "message.timestamp.before.max.ms", "1000");
        TopicRef missing = arm.missingTopic("missing");
        RawClient client = arm.connect();
        for (int version = ProduceRequests.OLDEST; version <= ProduceRequests.NEWEST; version++) {
            for (int wrong = 0; wrong < 6; wrong++) {
                ProduceRequests request = ProduceRequests.version(version, wrong % 2 == 0 ? -1 : 1)
                        .add(plain, 1, arm.batch(2, 50));
                switch (wrong) {
                    case 0 -> request.add(plain, 0, Batches.withWrongCrc(arm.batch(1, 50)));
                    case 1 -> request.add(small, 0, arm.batch(1, 1000));
                    case 2 -> request.add(compacted, 0, arm.batch(3, 50));
                    case 3 -> request.add(recent, 0, arm.batch(2, 50));
                    case 4 -> request.add(missing, 0, arm.batch(1, 50));
                    default -> request.add(plain, 2, arm.batch(1, 50));
                }
                if (wrong != 1) {
                    request.add(small, 0, arm.batch(1, 50));
                }
                arm.call(client, "v" + version + " wrong " + wrong, request.frame());
            }
        }
        arm.fetch(client, plain, 0, 0);
        arm.fetch(client, plain, 1, 17);
        arm.fetch(client, small, 0, 0);
    }

    private static void messageSets(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 2);
        for (int version : new int[] {3, 8, 9, 12, 13}) {
            for (int magic = 0; magic <= 1; magic++) {
                for (CompressionType codec : List.of(CompressionType.NONE, CompressionType.GZIP)) {
                    RawClient client = arm.connect();
                    MemoryRecords old = Batches.messageSet(magic, codec, arm.values(3, 50));
                    arm.callOrClose(
                            client,
                            "magic " + magic + ' ' + codec + " v" + version,
                            ProduceRequests.version(version, -1)
                                    .add(topic, 0, old)
                                    .add(topic, 1, arm.batch(1, 50))
                                    .frame());
                }
            }
        }
        RawClient client = arm.connect();
        arm.produce(client, topic, 0, arm.batch(1, 50));
        arm.fetch(client, topic, 1, 0);
    }

    private static void unknownIds(ArmContext arm) throws IOException {
        TopicRef known = arm.topic("known", 1);
        RawClient client = arm.connect();
        for (TopicRef wrong : List.of(arm.missingTopic("missing"), new TopicRef("zero", Uuid.ZERO_UUID))) {
            for (int acks : new int[] {1, -1}) {
                arm.callOrClose(
                        client,
                        "alone",
                        ProduceRequests.version(13, acks)
                                .add(wrong, 0, arm.batch(1, 50))
                                .frame());
                arm.callOrClose(
                        client,
                        "beside",
                        ProduceRequests.version(13, acks)
                                .add(known, 0, arm.batch(1, 50))
                                .add(wrong, 0, arm.batch(1, 50))
                                .add(wrong, 1, arm.batch(1, 50))
                                .frame());
            }
        }
        arm.fetch(client, known, 0, 0);
    }

    /** Same name, another id: writes by the old id are refused, writes by name reach the new topic. */
    private static void recreated(ArmContext arm) throws IOException {
        TopicRef before = arm.topic("before", 1);
        RawClient client = arm.connect();
        arm.produce(client, before, 0, arm.batch(3, 50));
        TopicRef after = arm.recreate(before, "after");
        for (TopicRef topic : List.of(before, after)) {
            for (int version : new int[] {12, 13}) {
                arm.call(
                        client,
                        topic == before ? "before v" + version : "after v" + version,
                        ProduceRequests.version(version, -1)
                                .add(topic, 0, arm.batch(1, 50))
                                .frame());
            }
        }
        arm.fetch(client, before, 0, 0);
        arm.fetch(client, after, 0, 0);
    }
}
