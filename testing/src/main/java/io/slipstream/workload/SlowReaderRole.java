// SPDX-License-Identifier: Apache-2.0
package io.slipstream.workload;

import io.slipstream.history.ConsumerKind;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads one batch at a time from the start, slower than producers write, so that deletions overtake it. Records with
 * each poll since when the next batch can have been fetched.
 */
final class SlowReaderRole extends Role {
    private static final Duration PATIENCE = Duration.ofMillis(100);
    private static final int POLLS_PER_SECOND = 3;

    private final RecordedRun run;
    private final ClientSettings settings;
    private final Collection<TopicPartition> partitions;

    SlowReaderRole(String name, RecordedRun run, ClientSettings settings, Collection<TopicPartition> partitions) {
        super(name, run);
        this.run = run;
        this.settings = settings;
        this.partitions = partitions;
    }

    @Override
    Session open() {
        Map<String, Object> oneBatch = settings.consumer("", false);
        oneBatch.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 1);
        oneBatch.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, Integer.MAX_VALUE);
        RecordingConsumer consumer = new RecordingConsumer(
                run,
                ConsumerKind.ASSIGNED,
                "",
                false,
                new KafkaConsumer<>(oneBatch, new ByteArrayDeserializer(), new ByteArrayDeserializer()));
        consumer.assign(partitions);
        Pace pace = new Pace(POLLS_PER_SECOND);
        return new Session() {
            private boolean positioned;

            @Override
            public void step() {
                if (!positioned) {
                    consumer.seekToBeginning(partitions);
                    positioned = true;
                }
                pace.await(1);
                consumer.pollOneBatch(PATIENCE);
            }

            @Override
            public void finish() {
                // Nothing to complete.
            }

            @Override
            public void close() {
                consumer.close();
            }
        };
    }
}
