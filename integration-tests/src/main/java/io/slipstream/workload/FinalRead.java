package io.slipstream.workload;

import io.slipstream.harness.Deadline;
import io.slipstream.history.ConsumerKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** Reads all partitions from their start to their end, with a client that has seen nothing before. */
public final class FinalRead {
    private static final Duration PATIENCE = Duration.ofMillis(100);

    private FinalRead() {}

    /**
     * Records everything read. Returns the partitions of which the end was not reached in time; what is missing of them the checker will call unseen.
     *
     * @param readCommitted the isolation level; the end is the last stable offset then
     */
    public static List<TopicPartition> record(
            RecordedRun run, ClientSettings settings, boolean readCommitted, Duration patience) {
        Deadline deadline = Deadline.after(patience);
        try (RecordingConsumer consumer =
                new RecordingConsumer(run, settings, ConsumerKind.FROM_ZERO, "", readCommitted)) {
            List<TopicPartition> partitions = run.partitions();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            List<TopicPartition> behind = new ArrayList<>(partitions);
            while (!behind.isEmpty() && !deadline.isOver()) {
                consumer.poll(PATIENCE);
                behind.removeIf(partition -> consumer.position(partition) >= ends.get(partition));
            }
            return behind;
        }
    }
}
