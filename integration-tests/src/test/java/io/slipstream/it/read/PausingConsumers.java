// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A process with stock consumers that fetch much at a time and process it for long. Each poll asks for more before it
 * returns, so while they process, their answers wait.
 */
public final class PausingConsumers {
    static final int FETCH_BYTES = 50 << 20;
    private static final Duration POLL = Duration.ofMillis(500);

    private final Map<String, Object> settings;
    private final TopicPartition partition;
    private final int records;
    private final long pauseMs;

    private PausingConsumers(Map<String, Object> settings, TopicPartition partition, int records, long pauseMs) {
        this.settings = settings;
        this.partition = partition;
        this.records = records;
        this.pauseMs = pauseMs;
    }

    /** Arguments: topic, number of consumers, records of each, pause and patience in ms, {@code key=value}. */
    public static void main(String[] arguments) throws Exception {
        Map<String, Object> settings = new HashMap<>(Map.of(
                "fetch.max.bytes",
                FETCH_BYTES,
                "max.partition.fetch.bytes",
                FETCH_BYTES,
                "key.deserializer",
                ByteArrayDeserializer.class,
                "value.deserializer",
                ByteArrayDeserializer.class));
        for (String setting : List.of(arguments).subList(5, arguments.length)) {
            int equals = setting.indexOf('=');
            settings.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        PausingConsumers all = new PausingConsumers(
                settings,
                new TopicPartition(arguments[0], 0),
                Integer.parseInt(arguments[2]),
                Long.parseLong(arguments[3]));
        int count = Integer.parseInt(arguments[1]);
        ExecutorService threads = Executors.newFixedThreadPool(count);
        List<Callable<Integer>> readers = IntStream.range(0, count)
                .<Callable<Integer>>mapToObj(first -> () -> all.read(first))
                .toList();
        for (Future<Integer> read : threads.invokeAll(readers, Long.parseLong(arguments[4]), TimeUnit.MILLISECONDS)) {
            System.out.printf("read %d records in %d polls%n", all.records, read.get());
        }
        threads.shutdown();
    }

    /** Reads from an offset of its own, so that no two consumers share what is read. Returns the number of polls. */
    private int read(int first) throws InterruptedException {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings)) {
            consumer.assign(List.of(partition));
            consumer.seek(partition, first);
            long next = first;
            int polls = 0;
            while (next < first + records) {
                boolean any = false;
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    if (record.offset() != next || (record.value()[0] & 0xff) != (next & 0xff)) {
                        throw new AssertionError("offset " + record.offset() + " instead of " + next);
                    }
                    next++;
                    any = true;
                }
                if (any && polls++ == 0) {
                    Thread.sleep(pauseMs);
                }
            }
            return polls;
        }
    }
}
