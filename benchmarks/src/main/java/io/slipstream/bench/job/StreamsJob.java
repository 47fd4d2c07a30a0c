// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.job;

import io.slipstream.process.TempDirectory;
import java.nio.file.Path;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;

/**
 * Kafka Streams without state, with {@code exactly_once_v2} and otherwise its defaults. At a constant load it commits
 * once a second. Its first second begins when Kafka Streams has its tasks and turns to RUNNING.
 */
public final class StreamsJob {
    /** The default of 100 ms begins with the last commit's end, so a way with fast commits would make more of them. */
    private static final int PACED_COMMIT_MS = 1_000;

    private StreamsJob() {}

    public static void main(String[] arguments) throws Exception {
        JobArguments job = JobArguments.of(arguments);
        Stopwatch watch = new Stopwatch(job);
        StreamsBuilder topology = new StreamsBuilder();
        topology.<byte[], byte[]>stream(job.from())
                .mapValues(value -> {
                    watch.count();
                    return value;
                })
                .to(job.to());
        try (TempDirectory state = TempDirectory.create("ss-s");
                KafkaStreams streams = new KafkaStreams(topology.build(), settings(job, state.path()))) {
            streams.setStateListener((now, before) -> {
                if (now == KafkaStreams.State.RUNNING) {
                    watch.running();
                }
            });
            streams.start();
            if (job.isPaced()) {
                Load.feed(job, watch);
            }
            watch.print("processed");
        }
    }

    private static Properties settings(JobArguments job, Path state) {
        Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, job.id());
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, job.servers());
        settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        settings.put(StreamsConfig.STATE_DIR_CONFIG, state.toString());
        settings.put(
                StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.ByteArray().getClass());
        settings.put(
                StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG,
                Serdes.ByteArray().getClass());
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        if (job.isPaced()) {
            settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, PACED_COMMIT_MS);
        }
        return settings;
    }
}
