// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.history.ClientEvent.Polled;
import io.slipstream.history.ClientEvent.Positioned;
import io.slipstream.history.ConsumerKind;
import io.slipstream.history.Event;
import io.slipstream.history.MemoryHistory;
import io.slipstream.history.RunKind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.internals.AutoOffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** A consumer that fetches one batch at a time tells since when the next batch can have been fetched. */
class RecordingConsumerTest {
    private static final TopicPartition PARTITION = new TopicPartition("read", 0);

    private final MemoryHistory history = new MemoryHistory();
    private final RecordedRun run = new RecordedRun(history, RunKind.SYNTHETIC, "direct", 1, "cluster");
    private final MockConsumer<byte[], byte[]> log = new MockConsumer<>(AutoOffsetResetStrategy.EARLIEST.name());

    @Test
    void shouldRecordThePositionAsOfTheBeginOfThePoll() {
        run.declareTopic(PARTITION.topic(), 1);
        log.updateBeginningOffsets(Map.of(PARTITION, 0L));
        RecordingConsumer consumer = new RecordingConsumer(run, ConsumerKind.ASSIGNED, "", false, log);
        consumer.assign(List.of(PARTITION));
        consumer.seek(PARTITION, 0);
        log.addRecord(new ConsumerRecord<>(PARTITION.topic(), 0, 0, new byte[0], new byte[0]));
        consumer.pollOneBatch(Duration.ZERO);
        int events = history.events().size();
        Polled polled = (Polled) history.events().get(events - 2);
        Event after = history.events().get(events - 1);

        consumer.pollOneBatch(Duration.ZERO);
        assertThat(history.events()).as("an empty poll requests nothing new").hasSize(events);
        assertThat(after).isInstanceOfSatisfying(Positioned.class, positioned -> {
            assertThat(positioned.position()).isEqualTo(1);
            assertThat(positioned.atNs())
                    .isLessThanOrEqualTo(polled.invokedNs())
                    .isLessThan(polled.atNs());
        });
    }
}
