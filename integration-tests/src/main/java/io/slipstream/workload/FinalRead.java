package io.slipstream.workload;

import io.slipstream.harness.Deadline;
import io.slipstream.history.ConsumerKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
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
     * @param readCommitted the isolation level; the read begins when no transaction is open any more, which a broker decides some time after its client was told
     */
    public static List<TopicPartition> record(
            RecordedRun run, ClientSettings settings, boolean readCommitted, Duration patience) {
        Deadline deadline = Deadline.after(patience);
        List<TopicPartition> partitions = run.partitions();
        Map<TopicPartition, Long> ends = ends(settings, partitions, readCommitted, deadline);
        try (RecordingConsumer consumer =
                new RecordingConsumer(run, settings, ConsumerKind.FROM_ZERO, "", readCommitted)) {
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            List<TopicPartition> behind = new ArrayList<>(partitions);
            while (!behind.isEmpty() && !deadline.isOver()) {
                consumer.poll(PATIENCE);
                behind.removeIf(partition -> consumer.position(partition) >= ends.get(partition));
            }
            return behind;
        }
    }

    private static Map<TopicPartition, Long> ends(
            ClientSettings settings, List<TopicPartition> partitions, boolean readCommitted, Deadline deadline) {
        Map<TopicPartition, Long> ends = new HashMap<>();
        try (Watermarks watermarks = new Watermarks(settings)) {
            watermarks.high(partitions).forEach((partition, end) -> ends.put(partition, end.offset()));
            if (readCommitted) {
                deadline.await(() -> watermarks.stable(partitions).entrySet().stream()
                        .allMatch(stable -> stable.getValue().offset() >= ends.get(stable.getKey())));
            }
        }
        return ends;
    }
}
