// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawResponse;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;

/** The aborted transactions listed in an answer: overlapping, over segments, under limits, and while some are open. */
final class AbortedCases {
    private static final int TRANSACTIONAL_PRODUCERS = 3;

    private AbortedCases() {}

    static List<Case> all() {
        return List.of(
                Case.of("aborted-transactions-over-segments", AbortedCases::overSegments)
                        .producesByRdmaOnly()
                        .fetchesByRdmaOnly()
                        .inCore(),
                Case.of("aborted-transactions-while-they-end", AbortedCases::whileTheyEnd)
                        .producesByRdmaOnly()
                        .fetchesByRdmaOnly()
                        .inCore(),
                Case.of("aborted-transactions-in-several-partitions", AbortedCases::severalPartitions)
                        .producesByRdmaOnly()
                        .fetchesByRdmaOnly());
    }

    /** Random overlapping transactions; segments of 1 MiB roll within them. */
    private static void overSegments(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1, "segment.bytes", "1048576", "index.interval.bytes", "2000");
        RawClient writer = arm.connect();
        RawClient reader = arm.connect();
        RawTransaction[] open = new RawTransaction[TRANSACTIONAL_PRODUCERS];
        for (int i = 0; i < 120; i++) {
            int p = arm.random().nextInt(TRANSACTIONAL_PRODUCERS);
            if (open[p] == null) {
                open[p] = RawTransaction.begin(arm, writer, "p" + p, topic);
            }
            open[p].produce(arm.value(1 + arm.random().nextInt(40_000)));
            if (arm.random().nextInt(3) == 0) {
                arm.produce(writer, topic, 0, arm.batch(1, 1 + arm.random().nextInt(20_000)));
            }
            if (arm.random().nextInt(4) == 0) {
                open[p].end(arm.random().nextInt(3) == 0);
                open[p] = null;
            }
        }
        // An open transaction holds the last stable offset back; some end after it.
        RawTransaction last = RawTransaction.begin(arm, writer, "last", topic);
        last.produce(arm.value(100));
        for (int p = 0; p < TRANSACTIONAL_PRODUCERS; p++) {
            if (open[p] != null) {
                open[p].end(p == 1);
            }
        }
        scan(arm, reader, topic, 100_000);
        scan(arm, reader, topic, 1 << 20);
        for (int i = 0; i < 60; i++) {
            both(
                    arm,
                    reader,
                    topic,
                    FetchRequests.OLDEST + i % (FetchRequests.NEWEST - FetchRequests.OLDEST + 1),
                    arm.random().nextInt(150),
                    1 << arm.random().nextInt(8, 21));
        }
        last.end(false);
        scan(arm, reader, topic, 300_000);
    }

    /** A reader at the end, and a new one, after each step. */
    private static void whileTheyEnd(ArmContext arm) throws IOException {
        TopicRef topic = arm.topic("t", 1);
        RawClient writer = arm.connect();
        RawClient follower = arm.connect();
        RawClient reader = arm.connect();
        long next = 0;
        RawTransaction[] transactions = new RawTransaction[TRANSACTIONAL_PRODUCERS];
        for (int i = 0; i < 30; i++) {
            int p = i % TRANSACTIONAL_PRODUCERS;
            if (transactions[p] == null) {
                transactions[p] = RawTransaction.begin(arm, writer, "p" + p, topic);
                transactions[p].produce(arm.values(1 + arm.random().nextInt(3), 100));
            } else {
                transactions[p].produce(arm.value(50));
                transactions[p].end(i % 4 == 0);
                transactions[p] = null;
            }
            next = committed(arm, follower, topic, next, FetchRequests.PARTITION_MAX_BYTES);
            both(arm, reader, topic, FetchRequests.NEWEST, 0, FetchRequests.PARTITION_MAX_BYTES);
        }
        for (RawTransaction transaction : transactions) {
            if (transaction != null) {
                transaction.end(false);
            }
        }
        committed(arm, follower, topic, next, FetchRequests.PARTITION_MAX_BYTES);
    }

    /** Limits leave enough for one partition, too little for a batch of another, and nothing for a third. */
    private static void severalPartitions(ArmContext arm) throws IOException {
        TopicRef[] topics = {arm.topic("a", 1), arm.topic("b", 1), arm.topic("c", 1)};
        RawClient writer = arm.connect();
        RawClient reader = arm.connect();
        for (int t = 0; t < topics.length; t++) {
            TopicRef topic = topics[t];
            for (boolean commit : new boolean[] {false, true, false}) {
                RawTransaction transaction = RawTransaction.begin(arm, writer, "on-" + t, topic);
                transaction.produce(arm.value(3000));
                arm.produce(writer, topic, 0, arm.batch(1, 1000));
                transaction.end(commit);
            }
        }
        for (int maxBytes : new int[] {1, 3000, 3100, 6000, 8400, 9000, 13_000, 17_000, 100_000}) {
            for (int version : new int[] {FetchRequests.OLDEST, 12, FetchRequests.NEWEST}) {
                FetchRequests request =
                        FetchRequests.version(version).readCommitted().maxBytes(maxBytes);
                for (TopicRef topic : topics) {
                    request.add(topic, 0, 0);
                }
                arm.call(reader, "v" + version + " of " + maxBytes + " bytes", request.frame());
            }
        }
    }

    private static void both(ArmContext arm, RawClient client, TopicRef topic, int version, long offset, int maxBytes)
            throws IOException {
        String what = " v" + version + "@" + offset + " of " + maxBytes + " bytes";
        arm.call(
                client,
                "committed" + what,
                FetchRequests.version(version)
                        .readCommitted()
                        .add(topic, 0, offset, maxBytes)
                        .frame());
        arm.call(
                client,
                "uncommitted" + what,
                FetchRequests.version(version).add(topic, 0, offset, maxBytes).frame());
    }

    /** Reads committed records from the start to the last stable offset. */
    private static void scan(ArmContext arm, RawClient client, TopicRef topic, int maxBytes) throws IOException {
        long offset = 0;
        long next = committed(arm, client, topic, offset, maxBytes);
        while (next > offset) {
            offset = next;
            next = committed(arm, client, topic, offset, maxBytes);
        }
    }

    /** Returns the offset after the records received. */
    private static long committed(ArmContext arm, RawClient client, TopicRef topic, long offset, int maxBytes)
            throws IOException {
        client.send(FetchRequests.version(FetchRequests.NEWEST)
                .readCommitted()
                .add(topic, 0, offset, maxBytes)
                .frame());
        RawResponse response = client.receive();
        PartitionData partition = ((FetchResponseData) response.body())
                .responses()
                .get(0)
                .partitions()
                .get(0);
        long next = offset;
        for (RecordBatch batch : ((MemoryRecords) partition.records()).batches()) {
            next = batch.nextOffset();
        }
        arm.transcript().note("scan @" + offset + " of " + maxBytes + " bytes", response);
        return next;
    }
}
