// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Judges a {@link StreamsJob}: its committed output has each value of the input once, in order and numbered. */
final class StreamedOutput {
    private static final Duration PATIENCE = Patience.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(100);

    private StreamedOutput() {}

    static void assertExact(String bootstrap, TopicPartition from, TopicPartition to) {
        List<byte[]> input = committed(bootstrap, from);
        List<byte[]> output = committed(bootstrap, to);
        assertThat(input).as("values of %s", from).isNotEmpty();
        for (int number = 0; number < Math.min(input.size(), output.size()); number++) {
            assertThat(text(output.get(number)))
                    .as("value number %d of %s", number, to)
                    .isEqualTo(text(StreamsJob.transform(input.get(number), number)));
        }
        assertThat(output).as("values of %s", to).hasSameSizeAs(input);
    }

    /** The first bytes name the origin, the last ones are the number that the job gave. */
    private static String text(byte[] value) {
        ByteBuffer bytes = ByteBuffer.wrap(value);
        return String.format(
                "producer %d, sequence %d, number %d, %d bytes with hash %d",
                bytes.getInt(16),
                bytes.getInt(20),
                bytes.getInt(value.length - Integer.BYTES),
                value.length,
                bytes.hashCode());
    }

    private static List<byte[]> committed(String bootstrap, TopicPartition partition) {
        List<byte[]> values = new ArrayList<>();
        Map<String, Object> settings = Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                bootstrap,
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                "read_committed");
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            Deadline deadline = Deadline.after(PATIENCE);
            while (consumer.position(partition) < end) {
                assertThat(deadline.isOver())
                        .as("reading %s takes too long", partition)
                        .isFalse();
                consumer.poll(POLL).forEach(record -> values.add(record.value()));
            }
        }
        return values;
    }
}
