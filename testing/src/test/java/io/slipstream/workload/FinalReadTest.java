// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.ConsumerKind;
import io.slipstream.history.MemoryHistory;
import io.slipstream.history.RunKind;
import io.slipstream.process.Deadline;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.internals.AutoOffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** The final read covers all records up to the end, however few a poll returns. */
class FinalReadTest {
    private static final TopicPartition LONG = new TopicPartition("read", 0);
    private static final TopicPartition SHORT = new TopicPartition("read", 1);
    private static final TopicPartition EMPTY = new TopicPartition("read", 2);
    private static final Map<TopicPartition, Long> ENDS = Map.of(LONG, 5L, SHORT, 1L, EMPTY, 0L);

    private final MemoryHistory history = new MemoryHistory();
    private final RecordedRun run = new RecordedRun(history, RunKind.SYNTHETIC, "direct", 1, "cluster");
    private final MockConsumer<byte[], byte[]> log = new MockConsumer<>(AutoOffsetResetStrategy.EARLIEST.name());

    private List<TopicPartition> read(Duration patience) {
        run.declareTopic(LONG.topic(), 3);
        Map<TopicPartition, Long> starts = new HashMap<>();
        ENDS.keySet().forEach(partition -> starts.put(partition, 0L));
        log.updateBeginningOffsets(starts);
        RecordingConsumer consumer = new RecordingConsumer(run, ConsumerKind.FROM_ZERO, "", false, log);
        return FinalRead.read(consumer, ENDS, Deadline.after(patience));
    }

    private void returnInOnePoll(TopicPartition partition, long offset) {
        log.schedulePollTask(() -> log.addRecord(
                new ConsumerRecord<>(partition.topic(), partition.partition(), offset, new byte[0], new byte[0])));
    }

    private int recordsRead(TopicPartition partition) {
        return history.events().stream()
                .filter(Polled.class::isInstance)
                .map(Polled.class::cast)
                .filter(polled -> polled.partition() == run.number(partition))
                .mapToInt(polled -> polled.records().size())
                .sum();
    }

    @Test
    void shouldReadTheLastRecordOfEachPartition() {
        for (int offset = 0; offset < 5; offset++) {
            returnInOnePoll(LONG, offset);
        }
        returnInOnePoll(SHORT, 0);

        assertThat(read(Duration.ofSeconds(20))).isEmpty();
        assertThat(recordsRead(LONG)).isEqualTo(5);
        assertThat(recordsRead(SHORT)).isEqualTo(1);
    }

    @Test
    void shouldNameThePartitionWhoseLastRecordIsMissing() {
        for (int offset = 0; offset < 4; offset++) {
            returnInOnePoll(LONG, offset);
        }
        returnInOnePoll(SHORT, 0);

        assertThat(read(Duration.ofMillis(200))).containsExactly(LONG);
        assertThat(recordsRead(LONG)).isEqualTo(4);
    }
}
