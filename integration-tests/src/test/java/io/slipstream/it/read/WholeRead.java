// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads the final logs from beginning to end with a new consumer. */
final class WholeRead {
    private static final Duration PATIENCE = Patience.ofSeconds(60);

    private WholeRead() {}

    /** Nothing may be missing; errors go to the findings. */
    static void judge(ReaderPlan plan, String bootstrap, Findings findings, Unsettled unsettled, ReadCounts counts) {
        Map<TopicPartition, ReadCheck> checks = new HashMap<>();
        Map<TopicPartition, Long> ends = new HashMap<>();
        plan.logs().forEach(log -> {
            checks.put(
                    log.partition(),
                    new ReadCheck(plan.name(), plan.readCommitted(), false, log, findings, unsettled, counts));
            ends.put(log.partition(), log.askEnd());
        });
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                plan.settings(bootstrap, new Random(0)), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(checks.keySet());
            consumer.seekToBeginning(checks.keySet());
            checks.forEach((partition, check) -> check.positioned(consumer.position(partition)));
            Deadline deadline = Deadline.after(PATIENCE);
            while (!deadline.isOver() && !isAtEnd(checks, ends)) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(100));
                long polledNs = System.nanoTime();
                records.nextOffsets()
                        .forEach((partition, next) ->
                                checks.get(partition).delivered(records.records(partition), next.offset(), polledNs));
            }
        }
        checks.forEach((partition, check) -> {
            if (check.position() < ends.get(partition)) {
                findings.add("%s: %d is not reached from %d on", check, ends.get(partition), check.position());
            }
        });
    }

    private static boolean isAtEnd(Map<TopicPartition, ReadCheck> checks, Map<TopicPartition, Long> ends) {
        return checks.entrySet().stream().allMatch(each -> each.getValue().position() >= ends.get(each.getKey()));
    }
}
