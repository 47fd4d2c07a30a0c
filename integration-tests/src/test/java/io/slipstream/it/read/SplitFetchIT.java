// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.MetricSamples;
import io.slipstream.process.PathCounts;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A stock consumer of a topic that RDMA serves, together with one that the broker's settings exclude. */
@Timeout(180)
class SplitFetchIT {
    private static final int OPEN_RECORDS = 20_000;
    private static final int SECRET_RECORDS = 1_000;
    private static final int VALUE_BYTES = 1_000;
    private static final String OPEN = "open";
    private static final String SECRET = "secret";

    private static BrokerProcess broker;
    private static ProxyProcess proxy;
    private static TopicRef open;
    private static TopicRef secret;

    @BeforeAll
    static void start() throws Exception {
        broker = BrokerProcess.builder(BrokerLine.NEWEST)
                .withAgent()
                .property("slipstream.topics.excluded", SECRET + '*')
                .start();
        proxy = ProxyProcess.builder(broker).start();
        // A Fetch at the log's end waits at the broker, so the first one must find the link.
        assertThat(proxy.awaitLink(Patience.ofSeconds(20))).isTrue();
        try (RawTopics topics = new RawTopics(broker.bootstrapServers())) {
            open = topics.create(OPEN, 2);
            secret = topics.create(SECRET, 1);
        }
    }

    @AfterAll
    static void stop() {
        proxy.close();
        broker.close();
    }

    private static void write(TopicRef topic, int partitions, int records) {
        Map<String, Object> settings = Map.of("bootstrap.servers", broker.bootstrapServers(), "linger.ms", 5);
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < records; i++) {
                producer.send(new ProducerRecord<>(topic.name(), i % partitions, null, new byte[VALUE_BYTES]));
            }
        }
    }

    private static KafkaConsumer<byte[], byte[]> consumer() {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                proxy.bootstrapServers(),
                "max.partition.fetch.bytes",
                32 << 10,
                "auto.offset.reset",
                "earliest");
        var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumer.assign(List.of(
                new TopicPartition(open.name(), 0),
                new TopicPartition(open.name(), 1),
                new TopicPartition(secret.name(), 0)));
        return consumer;
    }

    private static long fetches(MetricSamples metrics, String path) {
        return metrics.count("slipstream_requests_total", "api", "FETCH", "path", path);
    }

    private static long bytes(MetricSamples metrics, String path) {
        return metrics.count("slipstream_bytes_total", "api", "FETCH", "path", path, "direction", "response");
    }

    @Test
    void shouldReadBothAndLeaveOnlyTheExcludedOneToTcp() {
        write(open, 2, 2);
        write(secret, 1, 1);
        Map<String, Long> next = new HashMap<>();
        try (KafkaConsumer<byte[], byte[]> consumer = consumer()) {
            Deadline bound = Deadline.after(Patience.ofSeconds(30));
            while (fetches(proxy.metrics(), "rdma") == 0 || next.size() < 3) {
                assertThat(bound.isOver()).as("no Fetch by RDMA; read %s", next).isFalse();
                write(open, 2, 2);
                read(consumer, next);
            }
            MetricSamples before = proxy.metrics();
            write(open, 2, OPEN_RECORDS);
            write(secret, 1, SECRET_RECORDS);
            long end = OPEN_RECORDS / 2 + next.get(open.name() + "-0");
            Deadline deadline = Deadline.after(Patience.ofSeconds(60));
            while (next.get(open.name() + "-0") < end
                    || next.get(open.name() + "-1") < end - 10
                    || next.get(secret.name() + "-0") < SECRET_RECORDS) {
                assertThat(deadline.isOver()).as("read %s", next).isFalse();
                read(consumer, next);
            }
            MetricSamples after = proxy.metrics();
            PathCounts records = PathCounts.in(after).since(PathCounts.in(before));
            long byRdma = fetches(after, "rdma") - fetches(before, "rdma");
            long byTcp = fetches(after, "tcp") - fetches(before, "tcp");
            System.out.printf(
                    "Fetches by RDMA, or partly: %d, by TCP: %d; records by RDMA: %d, by TCP: %d; bytes: %d, %d%n",
                    byRdma,
                    byTcp,
                    records.rdmaFetched(),
                    records.tcpFetched(),
                    bytes(after, "rdma") - bytes(before, "rdma"),
                    bytes(after, "tcp") - bytes(before, "tcp"));
            assertThat(byRdma).as("Fetches by RDMA, beside %d by TCP", byTcp).isGreaterThan(9 * byTcp);
            assertThat(records.rdmaFetched()).isGreaterThan(OPEN_RECORDS * 9L / 10);
            assertThat(records.tcpFetched())
                    .as("records of the excluded topic, and few others")
                    .isBetween((long) SECRET_RECORDS, SECRET_RECORDS + OPEN_RECORDS / 10L);
            assertThat(bytes(after, "tcp") - bytes(before, "tcp"))
                    .isGreaterThan((long) SECRET_RECORDS * VALUE_BYTES)
                    .isLessThan(OPEN_RECORDS * (long) VALUE_BYTES / 4);
            assertThat(bytes(after, "rdma") - bytes(before, "rdma"))
                    .isGreaterThan(OPEN_RECORDS * 9L / 10 * VALUE_BYTES);
            assertThat(after.count("slipstream_fallbacks_total", "reason", "not_readable")
                            - before.count("slipstream_fallbacks_total", "reason", "not_readable"))
                    .as("one for each divided request")
                    .isBetween(byRdma / 2, byRdma + byTcp + 2);
        }
    }

    /** Polls once; the offsets of each partition must be consecutive. */
    private static void read(KafkaConsumer<byte[], byte[]> consumer, Map<String, Long> next) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
            String partition = record.topic() + '-' + record.partition();
            assertThat(record.offset()).as(partition).isEqualTo(next.getOrDefault(partition, 0L));
            next.put(partition, record.offset() + 1);
        }
    }
}
