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
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Sizes exactly at a limit and one byte above: limits of topics, of segments and of the ring. */
final class ProduceLimitCases {
    /** Twice the default of {@code slipstream.ring.bytes}; the largest frame is smaller than the ring. */
    private static final int BEYOND_RING_BYTES = 16 << 20;

    private ProduceLimitCases() {}

    static List<Case> all() {
        return List.of(
                Case.of("produce-at-max-message-bytes", ProduceLimitCases::atMaxMessageBytes)
                        .byRdma(FETCH)
                        .producesByRdmaOnly()
                        .inCore(),
                Case.of("produce-grown-beyond-max-message-bytes", ProduceLimitCases::grown)
                        .byRdma(FETCH)
                        .producesByRdmaOnly(),
                Case.of("produce-larger-than-segment", ProduceLimitCases::largerThanSegment)
                        .byRdma(FETCH)
                        .producesByRdmaOnly()
                        .inCore(),
                Case.of("produce-while-segments-roll", ProduceLimitCases::rolling)
                        .byRdma(FETCH)
                        .producesByRdmaOnly()
                        .inCore(),
                Case.of("produce-larger-than-ring", ProduceLimitCases::largerThanRing)
                        .byRdma(PRODUCE)
                        .fallsBackFor("frame_too_large")
                        .inCore());
    }

    private static void atMaxMessageBytes(ArmContext arm) throws IOException {
        RawClient client = arm.connect();
        for (CompressionType codec : List.of(CompressionType.NONE, CompressionType.GZIP)) {
            MemoryRecords batch = Batches.of(codec, arm.values(7, 300));
            int sizeBytes = batch.sizeInBytes();
            TopicRef exact = arm.topic("exact-" + codec.name, 1, "max.message.bytes", Integer.toString(sizeBytes));
            TopicRef less = arm.topic("less-" + codec.name, 1, "max.message.bytes", Integer.toString(sizeBytes - 1));
            for (int version : new int[] {3, 8, 12, 13}) {
                arm.call(
                        client,
                        codec + " v" + version,
                        ProduceRequests.version(version, -1)
                                .add(exact, 0, batch)
                                .add(less, 0, batch)
                                .frame());
            }
            arm.fetch(client, exact, 0, 0);
            arm.fetch(client, less, 0, 0);
        }
    }

    /** Small as sent, but too large in its stored form. */
    private static void grown(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1, "max.message.bytes", "2000", "compression.type", "uncompressed");
        RawClient client = arm.connect();
        for (int sizeBytes : new int[] {100, 1900, 1950, 5000, 100}) {
            arm.produce(client, topic, 0, Batches.of(CompressionType.GZIP, new byte[sizeBytes]));
        }
        arm.fetch(client, topic, 0, 0);
    }

    private static void largerThanSegment(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 2, "internal.segment.bytes", "20000");
        RawClient client = arm.connect();
        for (int sizeBytes : new int[] {10, 25_000, 19_000, 20_000, 10, 19_900}) {
            arm.call(
                    client,
                    sizeBytes + " bytes",
                    ProduceRequests.version(ProduceRequests.NEWEST, -1)
                            .add(topic, 0, Batches.of(arm.value(sizeBytes)))
                            .add(topic, 1, Batches.of(arm.value(10)))
                            .frame());
        }
        arm.fetch(client, topic, 0, 0);
        arm.fetch(client, topic, 1, 0);
    }

    /** Five in flight over many segments, so that some wait in the ring while the log rolls. */
    private static void rolling(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1, "internal.segment.bytes", "10000");
        RawClient client = arm.connect();
        int inFlight = 0;
        for (int i = 0; i < 100; i++) {
            client.send(ProduceRequests.version(ProduceRequests.NEWEST, -1)
                    .add(topic, 0, arm.batch(1, 500 + arm.random().nextInt(3000)))
                    .frame());
            inFlight++;
            if (inFlight == 5) {
                arm.transcript().note("produce", client.receive());
                inFlight--;
            }
        }
        while (inFlight-- > 0) {
            arm.transcript().note("produce", client.receive());
        }
        for (int offset : new int[] {0, 50, 99}) {
            arm.fetch(client, topic, 0, offset);
        }
    }

    /** Between small requests on both sides, some of them unanswered: order must be kept. */
    private static void largerThanRing(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1, "max.message.bytes", Integer.toString(2 * BEYOND_RING_BYTES));
        RawClient client = arm.connect();
        for (int sizeBytes : new int[] {10, 20, BEYOND_RING_BYTES, 30, 40}) {
            client.send(ProduceRequests.version(ProduceRequests.NEWEST, -1)
                    .add(topic, 0, Batches.of(new byte[sizeBytes]))
                    .frame());
        }
        for (int i = 0; i < 5; i++) {
            arm.transcript().note("produce " + i, client.receive());
        }
    }
}
