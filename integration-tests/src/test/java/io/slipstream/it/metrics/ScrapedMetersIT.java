// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.harness.PluginCounts;
import io.slipstream.it.Tool;
import io.slipstream.link.meter.Meter;
import io.slipstream.metrics.MeterDefinition;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.MetricSamples;
import io.slipstream.process.Patience;
import io.slipstream.process.Ports;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Compares the metrics pages of proxy and plugin with docs/metrics.md, on a real broker with real traffic. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ScrapedMetersIT {
    private static final String EXCLUDED = "left-to-tcp";
    private static final int RECORDS = 200;
    private static final int TOPICS = 6;

    private final HttpClient http = HttpClient.newHttpClient();

    @Test
    void shouldShowExactlyTheDocumentedMeters() throws Exception {
        Tool.require("promtool", "prometheus");
        int port = Ports.free();
        try (BrokerProcess broker = BrokerProcess.builder(BrokerLine.NEWEST)
                        .withAgent()
                        .property("slipstream.metrics.address", "127.0.0.1:" + port)
                        .property("slipstream.topics.excluded", EXCLUDED)
                        .start();
                ProxyProcess proxy = ProxyProcess.builder(broker).start();
                PluginCounts beans = PluginCounts.of(broker)) {
            assertDocumented(proxy.get("/metrics"), false, Meter.values());
            assertDocumented(pluginPage(port), true, PluginMeter.values());

            exchange(proxy, "orders", "one");
            await().atMost(Patience.ofSeconds(30)).until(() -> {
                exchange(proxy, "orders", "one");
                MetricSamples samples = proxy.metrics();
                return samples.count("slipstream_requests_total", "api", "FETCH", "path", "rdma") > 0
                        && samples.count("slipstream_wakeup_latency_seconds_count") > 0;
            });
            exchange(proxy, EXCLUDED, "two");

            String proxyPage;
            String pluginPage;
            try (KafkaConsumer<byte[], byte[]> open = consumer(proxy, "orders", "one")) {
                assertThat(open.poll(Patience.ofSeconds(20)).count()).isPositive();
                proxyPage = proxy.get("/metrics");
                pluginPage = pluginPage(port);
            }
            assertDocumented(proxyPage, true, Meter.values());
            assertDocumented(pluginPage, true, PluginMeter.values());
            assertCounted(MetricSamples.parse(proxyPage), MetricSamples.parse(pluginPage));
            assertThat(beans.gauge("RequestsLanded"))
                    .isEqualTo(beans.get("REQUESTS_LANDED"))
                    .isPositive();
            assertThat(beans.gauge("CommitLatencyCount")).isPositive();
            check(proxyPage);
            check(pluginPage);

            Set<String> proxySeries = series(proxyPage);
            Set<String> pluginSeries = series(pluginPage);
            for (int i = 0; i < TOPICS; i++) {
                exchange(proxy, "topic-" + i, "client-" + i);
            }
            assertThat(series(proxy.get("/metrics"))).as("series of the proxy").isEqualTo(proxySeries);
            assertThat(series(pluginPage(port))).as("series of the plugin").isEqualTo(pluginSeries);
        }
    }

    private static void assertCounted(MetricSamples proxy, MetricSamples plugin) {
        for (String positive : List.of(
                "requests_landed_total",
                "request_bytes_landed_total",
                "responses_sent_total",
                "requests_left_to_tcp_total",
                "grants_granted_total",
                "commit_latency_seconds_count",
                "serving",
                "build_info",
                "rdma_device",
                "links_open",
                "sessions_open",
                "control_connections_open",
                "credits",
                "ring_bytes",
                "registered_bytes",
                "segment_bytes",
                "segment_bytes_limit",
                "slots",
                "slots_in_use",
                "transport_operations_total")) {
            assertThat(plugin.sum("slipstream_plugin_" + positive)).as(positive).isPositive();
        }
        assertThat(plugin.sum("slipstream_plugin_build_info", "line", BrokerLine.NEWEST.number()))
                .isEqualTo(1);
        for (String kind : List.of("session", "read")) {
            assertThat(plugin.count("slipstream_plugin_grants_granted_total", "kind", kind))
                    .as(kind)
                    .isPositive();
            assertThat(proxy.count("slipstream_grants_granted_total", "kind", kind))
                    .as(kind)
                    .isPositive();
        }
        assertThat(plugin.count("slipstream_plugin_grants_refused_total", "kind", "read", "reason", "not_readable"))
                .as("refused reads of the excluded topic")
                .isPositive();
        assertThat(proxy.count("slipstream_grants_refused_total", "kind", "read", "reason", "not_readable"))
                .isPositive();
        assertThat(proxy.count("slipstream_produce_bytes_total")).isPositive();
        assertThat(proxy.count("slipstream_transport_latency_seconds_count", "operation", "request"))
                .isPositive();
        assertThat(plugin.count("slipstream_plugin_hook_errors_total")).isZero();
    }

    /** @param openToo whether the page must also have meters whose series depend on traffic */
    private static void assertDocumented(String page, boolean openToo, MeterDefinition... catalogue) {
        Set<String> shown = page.lines()
                .filter(text -> text.startsWith("# TYPE slipstream_"))
                .map(text -> text.split(" ")[2])
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> documented =
                Arrays.stream(catalogue).map(MeterDefinition::id).collect(Collectors.toCollection(TreeSet::new));
        assertThat(documented).as("documented meters, compared with the page").containsAll(shown);
        Set<String> expected = Arrays.stream(catalogue)
                .filter(meter -> meter.isClosed() || openToo && !isOfLeaders(meter))
                .map(MeterDefinition::id)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(shown)
                .as("meters on the page, compared with the documentation")
                .containsAll(expected);
    }

    /** A single broker follows none. ReplicationIT has these meters. */
    private static boolean isOfLeaders(MeterDefinition meter) {
        return meter.labels().stream().anyMatch(label -> label.name().equals("leader"));
    }

    /** Returns the names and labels of all Slipstream series. */
    private static Set<String> series(String page) {
        return page.lines()
                .filter(text -> text.startsWith("slipstream_"))
                .map(text -> text.substring(0, text.lastIndexOf(' ')))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private String pluginPage(int port) throws IOException, InterruptedException {
        HttpResponse<String> response = http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                        .timeout(Duration.ofSeconds(20))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(200);
        return response.body();
    }

    /** Runs promtool on the Slipstream part of a page. */
    private static void check(String page) throws IOException, InterruptedException {
        Process promtool = new ProcessBuilder("promtool", "check", "metrics")
                .redirectErrorStream(true)
                .start();
        String ours = page.lines()
                .filter(text -> text.startsWith("slipstream_")
                        || text.startsWith("# HELP slipstream_")
                        || text.startsWith("# TYPE slipstream_"))
                .collect(Collectors.joining("\n", "", "\n"));
        promtool.getOutputStream().write(ours.getBytes(StandardCharsets.UTF_8));
        promtool.getOutputStream().close();
        String messages = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(promtool.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(messages).isEmpty();
        assertThat(promtool.exitValue()).isZero();
    }

    /** Runs stock clients. Their topic and client id must not become labels of meters. */
    private static void exchange(ProxyProcess proxy, String topic, String client) throws Exception {
        Map<String, Object> common = Map.of("bootstrap.servers", proxy.bootstrapServers(), "client.id", client);
        try (Admin admin = Admin.create(common)) {
            if (!admin.listTopics().names().get(30, TimeUnit.SECONDS).contains(topic)) {
                admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1)))
                        .all()
                        .get(30, TimeUnit.SECONDS);
            }
        }
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(common, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < RECORDS; i++) {
                producer.send(new ProducerRecord<>(topic, new byte[500]));
                if (i % 10 == 0) {
                    producer.flush();
                }
            }
        }
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(proxy, topic, client)) {
            long deadlineNs = System.nanoTime() + Patience.ofSeconds(30).toNanos();
            int read = 0;
            while (read < RECORDS && deadlineNs - System.nanoTime() > 0) {
                read += consumer.poll(Duration.ofMillis(200)).count();
            }
            assertThat(read).as("records of " + topic).isGreaterThanOrEqualTo(RECORDS);
        }
    }

    /** Returns a consumer at the beginning of the topic. */
    private static KafkaConsumer<byte[], byte[]> consumer(ProxyProcess proxy, String topic, String client) {
        TopicPartition partition = new TopicPartition(topic, 0);
        KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", proxy.bootstrapServers(), "client.id", client),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        consumer.assign(List.of(partition));
        consumer.seekToBeginning(List.of(partition));
        return consumer;
    }
}
