// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import static org.apache.kafka.common.protocol.ApiKeys.FETCH;

import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawResponse;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;

/** The time of the answer to a waiting Fetch: not early, and as soon as enough records exist. */
final class LongPollCases {
    private static final int SHORT_WAIT_MS = 300;
    private static final int LONG_WAIT_MS = 15_000;
    /** Prompt for a busy machine, yet far below the long wait. */
    static final long PROMPT_MS = 5_000;

    private LongPollCases() {}

    static List<Case> all() {
        return List.of(
                Case.of("long-poll-ends-empty", LongPollCases::endsEmpty)
                        .byRdma(FETCH)
                        .inCore(),
                Case.of("long-poll-ends-with-data", LongPollCases::endsWithData)
                        .byRdma(FETCH)
                        .inCore(),
                Case.of("long-poll-waits-for-min-bytes", LongPollCases::waitsForMinBytes)
                        .byRdma(FETCH)
                        .inCore(),
                Case.of("long-poll-gives-what-there-is", LongPollCases::returnsAvailableRecords)
                        .byRdma(FETCH),
                Case.of("long-poll-ends-with-error", LongPollCases::endsWithError)
                        .inCore(),
                Case.of("long-poll-beside-unknown-partition", LongPollCases::unknownPartitionWaits),
                Case.of("long-poll-without-wait", LongPollCases::withoutWait).byRdma(FETCH));
    }

    private static void endsEmpty(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 2);
        RawClient client = arm.connect();
        for (int round = 0; round < 2; round++) {
            long startNs = System.nanoTime();
            arm.call(
                    client,
                    "empty",
                    FetchRequests.version(FetchRequests.NEWEST)
                            .minBytes(1, SHORT_WAIT_MS)
                            .add(topic, 0, 0)
                            .add(topic, 1, 0)
                            .frame());
            noteWait(arm, startNs, SHORT_WAIT_MS, SHORT_WAIT_MS + PROMPT_MS);
        }
    }

    private static void endsWithData(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 2);
        RawClient consumer = arm.connect();
        RawClient producer = arm.connect();
        for (int round = 0; round < 5; round++) {
            long startNs = System.nanoTime();
            consumer.send(FetchRequests.version(FetchRequests.NEWEST)
                    .minBytes(1, LONG_WAIT_MS)
                    .add(topic, 0, 0)
                    .add(topic, 1, round)
                    .frame());
            arm.produce(producer, topic, 1, arm.batch(1, 100));
            arm.transcript().note("woken", withWatermarksOfRecords(consumer.receive()));
            noteWait(arm, startNs, 0, PROMPT_MS);
        }
    }

    private static void waitsForMinBytes(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient consumer = arm.connect();
        RawClient producer = arm.connect();
        arm.produce(producer, topic, 0, arm.batch(1, 100));
        long startNs = System.nanoTime();
        consumer.send(FetchRequests.version(FetchRequests.NEWEST)
                .minBytes(3000, LONG_WAIT_MS)
                .add(topic, 0, 0)
                .frame());
        for (int i = 0; i < 3; i++) {
            arm.produce(producer, topic, 0, arm.batch(1, 1000));
        }
        arm.transcript().note("enough", withWatermarksOfRecords(consumer.receive()));
        noteWait(arm, startNs, 0, PROMPT_MS);
    }

    private static void returnsAvailableRecords(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        arm.produce(client, topic, 0, arm.batch(1, 100));
        long startNs = System.nanoTime();
        arm.call(
                client,
                "less than asked",
                FetchRequests.version(FetchRequests.NEWEST)
                        .minBytes(100_000, SHORT_WAIT_MS)
                        .add(topic, 0, 0)
                        .frame());
        noteWait(arm, startNs, SHORT_WAIT_MS, SHORT_WAIT_MS + PROMPT_MS);
    }

    /** An error is answered at once. */
    private static void endsWithError(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        long startNs = System.nanoTime();
        arm.call(
                client,
                "out of range",
                FetchRequests.version(FetchRequests.NEWEST)
                        .minBytes(1, LONG_WAIT_MS)
                        .add(topic, 0, 99)
                        .frame());
        noteWait(arm, startNs, 0, PROMPT_MS);
    }

    /** Except for an unknown partition next to a known one: the broker ignores it and waits for the rest. */
    private static void unknownPartitionWaits(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        long startNs = System.nanoTime();
        arm.call(
                client,
                "unknown partition",
                FetchRequests.version(FetchRequests.NEWEST)
                        .minBytes(1, SHORT_WAIT_MS)
                        .add(topic, 0, 0)
                        .add(topic, 9, 0)
                        .frame());
        noteWait(arm, startNs, SHORT_WAIT_MS, SHORT_WAIT_MS + PROMPT_MS);
    }

    private static void withoutWait(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient client = arm.connect();
        long startNs = System.nanoTime();
        arm.call(
                client,
                "min bytes 0",
                FetchRequests.version(FetchRequests.NEWEST)
                        .minBytes(0, LONG_WAIT_MS)
                        .add(topic, 0, 0)
                        .frame());
        arm.call(
                client,
                "max wait 0",
                FetchRequests.version(FetchRequests.NEWEST)
                        .minBytes(1000, 0)
                        .add(topic, 0, 0)
                        .frame());
        noteWait(arm, startNs, 0, PROMPT_MS);
    }

    /**
     * A broker that reads during an append takes the watermarks first and the records then, so it may return records
     * above the answer's watermarks.
     */
    static RawResponse withWatermarksOfRecords(RawResponse response) {
        for (FetchableTopicResponse topic : ((FetchResponseData) response.body()).responses()) {
            for (PartitionData partition : topic.partitions()) {
                for (RecordBatch batch : ((MemoryRecords) partition.records()).batches()) {
                    partition.setHighWatermark(Math.max(partition.highWatermark(), batch.nextOffset()));
                    partition.setLastStableOffset(Math.max(partition.lastStableOffset(), batch.nextOffset()));
                }
            }
        }
        return response;
    }

    static void noteWait(ArmContext arm, long startNs, long atLeastMs, long atMostMs) {
        long tookMs = (System.nanoTime() - startNs) / 1_000_000;
        boolean inTime = tookMs >= atLeastMs && tookMs <= atMostMs;
        arm.note("answered in time", inTime ? true : tookMs + " ms instead of " + atLeastMs + " to " + atMostMs);
    }
}
