// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A stock consumer that reads one partition from its beginning; the record at each offset must have the value of {@link
 * #value}.
 */
record FollowingConsumer(String bootstrap, TopicPartition partition, int fetchBytes, int pauseMs, long end)
        implements Callable<FollowingConsumer.Result> {
    private static final int VALUE_BYTES = 4_000;

    /**
     * @param finding the first error, or null
     * @param skippedTo offset at which it continued after the log start passed its position; 0 if that never happened
     */
    record Result(String finding, long skippedTo) {}

    /** Values differ, even after compression or shifts. */
    static byte[] value(long offset) {
        byte[] value = new byte[VALUE_BYTES];
        new SplittableRandom(offset).nextBytes(value);
        return value;
    }

    @Override
    public Result call() throws InterruptedException {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                bootstrap,
                "auto.offset.reset",
                "earliest",
                "max.partition.fetch.bytes",
                fetchBytes,
                "enable.auto.commit",
                false);
        Deadline deadline = Deadline.after(Patience.ofSeconds(60));
        long next = 0;
        long skippedTo = 0;
        try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seek(partition, 0);
            while (next < end) {
                if (deadline.isOver()) {
                    return new Result("stopped at " + next + " of " + end, skippedTo);
                }
                for (ConsumerRecord<byte[], byte[]> got : consumer.poll(Duration.ofMillis(500))) {
                    if (got.offset() != next) {
                        skippedTo = got.offset();
                        if (got.offset() < next) {
                            return new Result("offset " + got.offset() + " after " + (next - 1), skippedTo);
                        }
                    }
                    if (!Arrays.equals(got.value(), value(got.offset()))) {
                        return new Result("wrong value at offset " + got.offset(), skippedTo);
                    }
                    next = got.offset() + 1;
                }
                TimeUnit.MILLISECONDS.sleep(pauseMs);
            }
        }
        return new Result(null, skippedTo);
    }
}
