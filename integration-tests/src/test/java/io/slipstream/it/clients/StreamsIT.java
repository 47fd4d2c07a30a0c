// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.process.Deadline;
import io.slipstream.process.MetricSamples;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A stock Kafka Streams job at exactly-once: each record is transformed once, and nearly all requests go by RDMA. */
@ExtendWith(Serving.Extension.class)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class StreamsIT {
    private static final int RECORDS = 4_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final List<String> CARRIED =
            List.of("PRODUCE", "FETCH", "TXN_OFFSET_COMMIT", "END_TXN", "HEARTBEAT", "OFFSET_FETCH", "LIST_OFFSETS");

    @Test
    void shouldTransformEachRecordOnceByRdma(Serving serving, @TempDir Path state) throws Exception {
        String from = serving.newTopic("streamed-from", 1);
        String to = serving.newTopic("streamed-to", 1);
        List<String> values = Delivery.values("streamed", RECORDS);
        StreamsBuilder topology = new StreamsBuilder();
        topology.<String, String>stream(from).mapValues(value -> value + "!").to(to);
        MetricSamples before = serving.metrics();
        List<String> transformed;
        try (KafkaStreams streams = new KafkaStreams(topology.build(), settings(serving, from, state));
                KafkaProducer<String, String> producer = producer(serving)) {
            streams.start();
            boolean runs = Deadline.after(PATIENCE).await(() -> streams.state() == KafkaStreams.State.RUNNING);
            assertThat(runs).as("the job runs").isTrue();
            for (String value : values) {
                producer.send(new ProducerRecord<>(from, value));
                // Many transactions instead of a few large ones.
                TimeUnit.MICROSECONDS.sleep(500);
            }
            transformed = TransactionalCopierIT.read(serving, to, RECORDS);
        }
        assertThat(transformed)
                .isEqualTo(values.stream().map(value -> value + "!").toList());
        RequestShares shares = RequestShares.between(before, serving.metrics());
        shares.assertByRdma(CARRIED);
    }

    private static Properties settings(Serving serving, String name, Path state) {
        Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "job-of-" + name);
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, serving.proxyBootstrap());
        settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        settings.put(
                StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.String().getClass());
        settings.put(
                StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.String().getClass());
        settings.put(StreamsConfig.STATE_DIR_CONFIG, state.toString());
        settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 10);
        settings.put(StreamsConfig.consumerPrefix("auto.offset.reset"), "earliest");
        return settings;
    }

    private static KafkaProducer<String, String> producer(Serving serving) {
        return new KafkaProducer<>(
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, serving.proxyBootstrap()),
                new StringSerializer(),
                new StringSerializer());
    }
}
