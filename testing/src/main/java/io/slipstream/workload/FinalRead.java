// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import io.slipstream.history.ConsumerKind;
import io.slipstream.process.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.common.TopicPartition;

/** Reads all partitions from start to end with a new client. */
public final class FinalRead {
    private static final Duration POLL = Duration.ofMillis(100);

    private FinalRead() {}

    /**
     * Records all records read. Returns the partitions not fully read in time; the checker reports their missing
     * records as unseen.
     *
     * @param readCommitted the isolation level. The read starts when no transaction is open, which a broker decides
     * some time after its client was told. If a transaction stays open, the read covers the records before it, and all
     * of the other partitions
     * @param patience timeout for open transactions, and again for the read
     */
    public static List<TopicPartition> record(
            RecordedRun run, ClientSettings settings, boolean readCommitted, Duration patience) {
        List<TopicPartition> partitions = run.partitions();
        Map<TopicPartition, Long> ends;
        Map<TopicPartition, Long> readable;
        try (Watermarks watermarks = new Watermarks(settings)) {
            ends = offsets(watermarks.high(partitions));
            readable = readCommitted ? stable(watermarks, ends, patience) : ends;
        }
        List<TopicPartition> behind;
        try (RecordingConsumer consumer =
                new RecordingConsumer(run, settings, ConsumerKind.FROM_ZERO, "", readCommitted)) {
            behind = read(consumer, readable, Deadline.after(patience));
        }
        return partitions.stream()
                .filter(partition -> behind.contains(partition) || readable.get(partition) < ends.get(partition))
                .toList();
    }

    /** As {@link #record}, in both isolation levels. Returns a partition twice if both miss records. */
    public static List<TopicPartition> recordBoth(RecordedRun run, ClientSettings settings, Duration patience) {
        List<TopicPartition> behind = new ArrayList<>(record(run, settings, false, patience));
        behind.addAll(record(run, settings, true, patience));
        return behind;
    }

    /** Returns the stable offsets once no transaction holds one before the end. */
    private static Map<TopicPartition, Long> stable(
            Watermarks watermarks, Map<TopicPartition, Long> ends, Duration patience) {
        Map<TopicPartition, Long> stable = new HashMap<>();
        Deadline.after(patience).await(() -> {
            stable.putAll(offsets(watermarks.stable(ends.keySet())));
            return ends.entrySet().stream().allMatch(end -> stable.get(end.getKey()) >= end.getValue());
        });
        return stable;
    }

    /** Reads each partition from its start to that end. Returns the partitions whose end was not reached. */
    static List<TopicPartition> read(RecordingConsumer consumer, Map<TopicPartition, Long> ends, Deadline deadline) {
        consumer.assign(ends.keySet());
        consumer.seekToBeginning(ends.keySet());
        List<TopicPartition> behind = new ArrayList<>(ends.keySet());
        while (!behind.isEmpty() && !deadline.isOver()) {
            consumer.poll(POLL);
            behind.removeIf(partition -> consumer.position(partition) >= ends.get(partition));
        }
        return behind;
    }

    private static Map<TopicPartition, Long> offsets(Map<TopicPartition, ListOffsetsResultInfo> answer) {
        Map<TopicPartition, Long> offsets = new HashMap<>();
        answer.forEach((partition, info) -> offsets.put(partition, info.offset()));
        return offsets;
    }
}
