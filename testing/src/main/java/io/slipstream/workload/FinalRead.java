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

/** Reads all partitions from their start to their end, with a client that has seen nothing before. */
public final class FinalRead {
    private static final Duration POLL = Duration.ofMillis(100);

    private FinalRead() {}

    /**
     * Records everything read. Returns the partitions of which not all was read in time; what is missing of them the checker will call unseen.
     *
     * @param readCommitted the isolation level. The read begins when no transaction is open any more, which a broker decides some time after its
     *     client was told; where one stays open for as long as the patience lasts, what is before it is read, and all of the other partitions
     * @param patience with open transactions, and once more with the reading
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
        List<TopicPartition> behind = read(run, settings, readCommitted, readable, patience);
        return partitions.stream()
                .filter(partition -> behind.contains(partition) || readable.get(partition) < ends.get(partition))
                .toList();
    }

    /** The stable offsets, as soon as no transaction keeps one before the end. */
    private static Map<TopicPartition, Long> stable(
            Watermarks watermarks, Map<TopicPartition, Long> ends, Duration patience) {
        Map<TopicPartition, Long> stable = new HashMap<>();
        Deadline.after(patience).await(() -> {
            stable.putAll(offsets(watermarks.stable(ends.keySet())));
            return ends.entrySet().stream().allMatch(end -> stable.get(end.getKey()) >= end.getValue());
        });
        return stable;
    }

    /** Returns the partitions of which the end was not reached. */
    private static List<TopicPartition> read(
            RecordedRun run,
            ClientSettings settings,
            boolean readCommitted,
            Map<TopicPartition, Long> ends,
            Duration patience) {
        Deadline deadline = Deadline.after(patience);
        try (RecordingConsumer consumer =
                new RecordingConsumer(run, settings, ConsumerKind.FROM_ZERO, "", readCommitted)) {
            consumer.assign(ends.keySet());
            consumer.seekToBeginning(ends.keySet());
            List<TopicPartition> behind = new ArrayList<>(ends.keySet());
            while (!behind.isEmpty() && !deadline.isOver()) {
                consumer.poll(POLL);
                behind.removeIf(partition -> consumer.position(partition) >= ends.get(partition));
            }
            return behind;
        }
    }

    private static Map<TopicPartition, Long> offsets(Map<TopicPartition, ListOffsetsResultInfo> answer) {
        Map<TopicPartition, Long> offsets = new HashMap<>();
        answer.forEach((partition, info) -> offsets.put(partition, info.offset()));
        return offsets;
    }
}
