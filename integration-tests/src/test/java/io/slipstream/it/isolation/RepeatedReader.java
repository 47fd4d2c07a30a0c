// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A stock consumer that reads all partitions of a topic from their beginning, again and again. A record that is not the
 * one of its offset, or that follows another one than its predecessor, is a failure. So is a gap, unless the log was
 * shortened.
 */
final class RepeatedReader implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(100);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final NumberedTopic topic;
    private final Thread thread = new Thread(this::run, "repeated-reader");
    private volatile long passes;
    private volatile Throwable failure;
    private volatile boolean closed;

    RepeatedReader(String bootstrap, NumberedTopic topic) {
        this.topic = topic;
        consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "auto.offset.reset",
                        "earliest",
                        "default.api.timeout.ms",
                        Patience.ms(60_000)),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        consumer.assign(topic.all());
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            while (!closed) {
                readOnce();
                passes++;
            }
        } catch (WakeupException ended) {
            // By close().
        } catch (RuntimeException | AssertionError thrown) {
            failure = thrown;
        } finally {
            consumer.close(CloseOptions.timeout(Duration.ofSeconds(1)));
        }
    }

    private void readOnce() {
        List<TopicPartition> all = topic.all();
        Map<TopicPartition, Long> ends = consumer.endOffsets(all);
        Map<TopicPartition, Long> next = new HashMap<>();
        consumer.seekToBeginning(all);
        while (!closed && all.stream().anyMatch(each -> consumer.position(each) < ends.get(each))) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                TopicPartition partition = new TopicPartition(record.topic(), record.partition());
                Long expected = next.put(partition, record.offset() + 1);
                assertThat(ByteBuffer.wrap(record.value()).getLong())
                        .as("value at %s, offset %d", partition, record.offset())
                        .isEqualTo(record.offset());
                if (expected != null && record.offset() != expected) {
                    assertThat(record.offset())
                            .as("offset of %s after %d: the start of a log that was shortened", partition, expected - 1)
                            .isGreaterThan(expected)
                            .isEqualTo(consumer.beginningOffsets(List.of(partition))
                                    .get(partition));
                }
            }
        }
    }

    /** Returns when all partitions were read that many times from now on, from the beginning to the end. */
    void awaitPasses(int count) {
        // The pass that is under way does not count.
        long until = passes + count + 1;
        boolean read = Deadline.after(Patience.ofSeconds(60)).await(() -> failure != null || passes >= until);
        verify();
        assertThat(read).as("%d of %d passes", passes, until).isTrue();
    }

    /** Fails if the reader has failed. */
    void verify() {
        assertThat(failure).isNull();
    }

    /** Ends without a check, since its topic may be gone. */
    @Override
    public void close() {
        closed = true;
        consumer.wakeup();
        try {
            thread.join(Patience.ofSeconds(20).toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
