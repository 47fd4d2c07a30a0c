// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/**
 * A stock Kafka Streams job at exactly-once. It appends to each value its number in the partition, which it keeps in a
 * state store, and writes it to the partition's own topic.
 */
final class StreamsJob implements AutoCloseable {
    private static final String NUMBERS = "numbers";
    private static final Duration PATIENCE = Patience.ofSeconds(60);

    private final KafkaStreams streams;

    /**
     * Returns when the job runs.
     *
     * @param to prefix of the outputs, which exist
     */
    StreamsJob(String bootstrap, String id, String from, String to, Path state) {
        streams = new KafkaStreams(topology(from, to), settings(bootstrap, id, state));
        streams.setUncaughtExceptionHandler(failure -> StreamThreadExceptionResponse.REPLACE_THREAD);
        streams.start();
        if (!Deadline.after(PATIENCE).await(() -> streams.state() == KafkaStreams.State.RUNNING)) {
            close();
            throw new IllegalStateException("the job does not run");
        }
    }

    private static Topology topology(String from, String to) {
        StreamsBuilder builder = new StreamsBuilder();
        builder.addStateStore(
                Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore(NUMBERS), Serdes.Integer(), Serdes.Integer()));
        builder.<byte[], byte[]>stream(from)
                .processValues(Numbering::new, NUMBERS)
                .to((key, value, context) -> output(to, context.partition()));
        return builder.build();
    }

    /** Returns the topic for results from this partition of the input. */
    static String output(String prefix, int partition) {
        return prefix + "-" + partition;
    }

    /** Returns the job's result for a value of the input. */
    static byte[] transform(byte[] value, int number) {
        return ByteBuffer.allocate(value.length + Integer.BYTES)
                .put(value)
                .putInt(number)
                .array();
    }

    private static final class Numbering extends ContextualFixedKeyProcessor<byte[], byte[], byte[]> {
        @Override
        public void process(FixedKeyRecord<byte[], byte[]> record) {
            KeyValueStore<Integer, Integer> numbers = context().getStateStore(NUMBERS);
            int partition = context().recordMetadata().orElseThrow().partition();
            Integer last = numbers.get(partition);
            int number = last == null ? 0 : last + 1;
            numbers.put(partition, number);
            context().forward(record.withValue(transform(record.value(), number)));
        }
    }

    private static Properties settings(String bootstrap, String id, Path state) {
        Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, id);
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        settings.put(
                StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.ByteArray().getClass());
        settings.put(
                StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG,
                Serdes.ByteArray().getClass());
        settings.put(StreamsConfig.STATE_DIR_CONFIG, state.toString());
        settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 20);
        settings.put(StreamsConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 500);
        settings.put(StreamsConfig.REQUEST_TIMEOUT_MS_CONFIG, Patience.ms(3_000));
        settings.put(StreamsConfig.consumerPrefix(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG), "earliest");
        settings.put(StreamsConfig.consumerPrefix(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG), Patience.ms(6_000));
        settings.put(StreamsConfig.consumerPrefix(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG), Patience.ms(1_000));
        settings.put(StreamsConfig.producerPrefix(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG), Patience.ms(30_000));
        settings.put(StreamsConfig.producerPrefix(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG), Patience.ms(10_000));
        return settings;
    }

    @Override
    public void close() {
        streams.close(PATIENCE);
    }
}
