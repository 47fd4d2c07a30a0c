// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.util.Random;

/**
 * A topic that all ways fetch from, with equal numbers of records in each partition.
 *
 * @param endOffset end offset of each partition
 * @param sizeBytes total size of all values
 */
record FilledLog(TopicRef topic, long endOffset, long sizeBytes) {
    private static final int IN_FLIGHT = 8;
    /** Allows a value of 1 MiB. */
    static final int MOST_BATCH_BYTES = 2 << 20;

    // Segments have Kafka's default size: switching segments is part of the broker's cost of a scan.
    static final String[] SETTINGS = {"retention.ms", "-1", "max.message.bytes", Integer.toString(MOST_BATCH_BYTES)};

    static FilledLog empty(TopicRef topic) {
        return new FilledLog(topic, 0, 0);
    }

    /** Appends values of these sizes in turn, one per batch, up to {@code sizeBytes}. */
    static FilledLog create(RawTopics creator, RawClient client, String name, long sizeBytes, int... valueBytes)
            throws IOException {
        return create(creator, client, name, 1, sizeBytes, 1, valueBytes);
    }

    /** The same with several records of one size per batch, to the partitions in turn. */
    static FilledLog create(
            RawTopics creator,
            RawClient client,
            String name,
            int partitions,
            long sizeBytes,
            int batchRecords,
            int[] valueBytes)
            throws IOException {
        return fill(
                client, creator.create(name, partitions, SETTINGS), partitions, sizeBytes, batchRecords, valueBytes);
    }

    /** The same into an empty topic with {@link #SETTINGS}, at its leader. */
    static FilledLog fill(
            RawClient client, TopicRef topic, int partitions, long sizeBytes, int batchRecords, int... valueBytes)
            throws IOException {
        RequestFrame[] frames = new RequestFrame[valueBytes.length * partitions];
        for (int i = 0; i < frames.length; i++) {
            byte[][] values = new byte[batchRecords][valueBytes[i / partitions]];
            Random random = new Random(i);
            for (byte[] value : values) {
                random.nextBytes(value);
            }
            frames[i] = ProduceRequests.version(ProduceRequests.NEWEST, 1)
                    .add(topic, i % partitions, Batches.of(values))
                    .frame();
        }
        long batches = 0;
        long filledBytes = 0;
        while (filledBytes < sizeBytes || batches % partitions != 0) {
            int turn = (int) (batches % frames.length);
            client.send(frames[turn]);
            filledBytes += (long) batchRecords * valueBytes[turn / partitions];
            batches++;
            if (client.unanswered() == IN_FLIGHT) {
                ProduceAnswer.receiveOffset(client);
            }
        }
        while (client.unanswered() > 0) {
            ProduceAnswer.receiveOffset(client);
        }
        return new FilledLog(topic, batches / partitions * batchRecords, filledBytes);
    }
}
