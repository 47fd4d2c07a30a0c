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
 * A topic of one partition that all ways fetch from.
 *
 * @param endOffset of the partition
 * @param sizeBytes of all values in it
 */
record FilledLog(TopicRef topic, long endOffset, long sizeBytes) {
    private static final int IN_FLIGHT = 8;
    /** With room for a value of 1 MiB. */
    static final int MOST_BATCH_BYTES = 2 << 20;

    static FilledLog empty(TopicRef topic) {
        return new FilledLog(topic, 0, 0);
    }

    /** Appends values of these sizes by turns, one in each batch, until there are {@code sizeBytes}. */
    static FilledLog create(RawTopics creator, RawClient client, String name, long sizeBytes, int... valueBytes)
            throws IOException {
        return create(creator, client, name, sizeBytes, 1, valueBytes);
    }

    /** The same with several records in each batch, of one size. */
    static FilledLog create(
            RawTopics creator, RawClient client, String name, long sizeBytes, int batchRecords, int[] valueBytes)
            throws IOException {
        // Segments are of Kafka's default size: how often a consumer goes from one to the next is part of what a scan
        // costs the broker.
        TopicRef topic =
                creator.create(name, 1, "retention.ms", "-1", "max.message.bytes", Integer.toString(MOST_BATCH_BYTES));
        RequestFrame[] frames = new RequestFrame[valueBytes.length];
        for (int i = 0; i < frames.length; i++) {
            byte[][] values = new byte[batchRecords][valueBytes[i]];
            Random random = new Random(i);
            for (byte[] value : values) {
                random.nextBytes(value);
            }
            frames[i] = ProduceRequests.version(ProduceRequests.NEWEST, 1)
                    .add(topic, 0, Batches.of(values))
                    .frame();
        }
        long batches = 0;
        long filledBytes = 0;
        while (filledBytes < sizeBytes) {
            int turn = (int) (batches % frames.length);
            client.send(frames[turn]);
            filledBytes += (long) batchRecords * valueBytes[turn];
            batches++;
            if (client.unanswered() == IN_FLIGHT) {
                ProduceAnswer.receiveOffset(client);
            }
        }
        while (client.unanswered() > 0) {
            ProduceAnswer.receiveOffset(client);
        }
        return new FilledLog(topic, batches * batchRecords, filledBytes);
    }
}
