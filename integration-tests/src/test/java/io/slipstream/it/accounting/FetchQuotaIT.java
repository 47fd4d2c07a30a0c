// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.accounting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.harness.PluginCounts;
import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Compares consumers of one broker, directly and through the proxy: their throughput under quotas, and the broker's
 * metrics of them.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class FetchQuotaIT {
    private static final int QUOTA_BYTES_A_SECOND = 2_000_000;
    /** Seconds of the quota window, during which a formerly silent client may exceed its rate. */
    private static final int WINDOW_SECONDS = 3;

    private static final Duration READING = Duration.ofSeconds(3);
    private static final int BATCH_BYTES = 10_000;
    private static final int BATCHES = 1_000;
    private static final int FETCH_BYTES = 50_000;

    @Test
    void shouldThrottleLikeABrokerAndKeepItsMetricsCorrect() throws Exception {
        try (BrokerProcess broker = BrokerProcess.builder(BrokerLine.NEWEST)
                        .withAgent()
                        .property("quota.window.num", Integer.toString(WINDOW_SECONDS))
                        .property("quota.window.size.seconds", "1")
                        .start();
                ProxyProcess proxy = ProxyProcess.builder(broker).start();
                PluginCounts counts = PluginCounts.of(broker);
                RawTopics topics = new RawTopics(broker.bootstrapServers())) {
            TopicRef topic = topics.create("quota", 1);
            fill(broker.bootstrapServers(), topic);
            long allBefore = counts.meter("BrokerTopicMetrics,name=BytesOutPerSec");
            limit(broker.bootstrapServers(), "direct", "proxied", "stock");

            try (CountingConsumer free = new CountingConsumer(proxy.bootstrapServers(), "free", topic, FETCH_BYTES);
                    CountingConsumer direct =
                            new CountingConsumer(broker.bootstrapServers(), "direct", topic, FETCH_BYTES);
                    CountingConsumer proxied =
                            new CountingConsumer(proxy.bootstrapServers(), "proxied", topic, FETCH_BYTES)) {
                await().atMost(Patience.ofSeconds(15)).until(() -> {
                    free.read();
                    return byRdma(proxy) > 0;
                });
                free.readBytes(2L * BATCHES * BATCH_BYTES);
                assertThat(free.throttled).as("without a quota").isZero();

                direct.readFor(READING);
                long rdmaBefore = byRdma(proxy);
                long startNs = System.nanoTime();
                proxied.readFor(READING);
                double seconds = (System.nanoTime() - startNs) / 1e9;

                assertThat(direct.throttled).as("throttled directly").isPositive();
                assertThat(proxied.throttled).as("throttled through the proxy").isPositive();
                assertThat((double) proxied.recordBytes)
                        .as("bytes through the proxy in %.1f s, directly %d", seconds, direct.recordBytes)
                        .isLessThan(QUOTA_BYTES_A_SECOND * (seconds + WINDOW_SECONDS) * 1.1)
                        .isBetween(0.5 * direct.recordBytes, 1.6 * direct.recordBytes);
                assertThat(byRdma(proxy) - rdmaBefore)
                        .as("fetches by RDMA, of %d", proxied.fetches)
                        .isGreaterThanOrEqualTo(4);
                assertThat(proxy.metrics().count("slipstream_fallbacks_total", "reason", "quota"))
                        .isPositive();

                long bytes = free.recordBytes + direct.recordBytes + proxied.recordBytes;
                long fetches = (long) free.fetches + direct.fetches + proxied.fetches;
                await().atMost(Patience.ofSeconds(5)).untilAsserted(() -> {
                    assertThat(counts.meter("BrokerTopicMetrics,name=BytesOutPerSec,topic=" + topic.name()))
                            .as("bytes out of the topic")
                            .isEqualTo(bytes);
                    assertThat(counts.meter("BrokerTopicMetrics,name=TotalFetchRequestsPerSec,topic=" + topic.name()))
                            .as("fetches of the topic")
                            .isEqualTo(fetches);
                });
                assertThat(counts.meter("BrokerTopicMetrics,name=BytesOutPerSec") - allBefore)
                        .as("bytes out of all topics")
                        .isEqualTo(bytes);

                readAllWithAStockConsumer(proxy.bootstrapServers(), topic);
            }
        }
    }

    /** Reads all records with the fetch session of stock consumers, delayed as the quota demands. */
    private static void readAllWithAStockConsumer(String bootstrap, TopicRef topic) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                bootstrap,
                "client.id",
                "stock",
                "key.deserializer",
                ByteArrayDeserializer.class,
                "value.deserializer",
                ByteArrayDeserializer.class);
        TopicPartition partition = new TopicPartition(topic.name(), 0);
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings)) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long startNs = System.nanoTime();
            long deadlineNs = startNs + Patience.ofSeconds(60).toNanos();
            long next = 0;
            while (next < BATCHES && deadlineNs - System.nanoTime() > 0) {
                for (ConsumerRecord<byte[], byte[]> read : consumer.poll(Duration.ofMillis(200))) {
                    assertThat(read.offset()).isEqualTo(next++);
                }
            }
            assertThat(next).as("records read").isEqualTo(BATCHES);
            double seconds = (System.nanoTime() - startNs) / 1e9;
            assertThat(QUOTA_BYTES_A_SECOND * (seconds + WINDOW_SECONDS) * 1.1)
                    .as("bytes under a quota in %.1f s", seconds)
                    .isGreaterThan((double) BATCHES * BATCH_BYTES);
            double longestThrottlingMs = consumer.metrics().entrySet().stream()
                    .filter(metric -> metric.getKey().name().equals("fetch-throttle-time-max"))
                    .mapToDouble(metric -> (Double) metric.getValue().metricValue())
                    .max()
                    .orElseThrow();
            assertThat(longestThrottlingMs).as("throttle time").isPositive();
        }
    }

    private static void fill(String bootstrap, TopicRef topic) throws IOException {
        try (RawClient client = RawClient.connect(bootstrap)) {
            byte[] value = new byte[BATCH_BYTES];
            for (int i = 0; i < BATCHES; i++) {
                client.send(ProduceRequests.version(ProduceRequests.NEWEST, 1)
                        .add(topic, 0, Batches.of(value))
                        .frame());
            }
            for (int i = 0; i < BATCHES; i++) {
                ProduceResponseData response = client.receive().as(ProduceResponseData.class);
                assertThat(response.responses().iterator().next().partitionResponses())
                        .allSatisfy(
                                partition -> assertThat(partition.errorCode()).isZero());
            }
        }
    }

    private static void limit(String bootstrap, String... clientIds) throws Exception {
        List<ClientQuotaAlteration> quotas = List.of(clientIds).stream()
                .map(id -> new ClientQuotaAlteration(
                        new ClientQuotaEntity(Map.of(ClientQuotaEntity.CLIENT_ID, id)),
                        List.of(new ClientQuotaAlteration.Op("consumer_byte_rate", (double) QUOTA_BYTES_A_SECOND))))
                .toList();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            admin.alterClientQuotas(quotas).all().get(30, TimeUnit.SECONDS);
        }
    }

    private static long byRdma(ProxyProcess proxy) {
        return proxy.metrics().count("slipstream_requests_total", "api", "FETCH", "path", "rdma");
    }
}
