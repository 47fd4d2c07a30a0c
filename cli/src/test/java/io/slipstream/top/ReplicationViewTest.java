// SPDX-License-Identifier: Apache-2.0
package io.slipstream.top;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.slipstream.process.MetricSamples;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReplicationViewTest {
    private static final String BEFORE = page(
            "serving 1.0",
            "replication_fetches_total{path=\"rdma\"} 100.0",
            "replication_fetches_total{path=\"tcp\"} 10.0",
            "follower_sessions{leader=\"2\"} 0.0",
            "follower_fetches_total{leader=\"2\",path=\"rdma\"} 100.0",
            "follower_fetches_total{leader=\"2\",path=\"tcp\"} 10.0",
            "follower_fallbacks_total{leader=\"2\",reason=\"link_lost\"} 3.0",
            "follower_fallbacks_total{leader=\"3\",reason=\"refused\"} 7.0",
            "follower_sessions{leader=\"3\"} 0.0");
    private static final String AFTER = page(
            "serving 1.0",
            "replication_links 2.0",
            "replication_bytes_total 4000.0",
            "replication_fetches_total{path=\"rdma\"} 160.0",
            "replication_fetches_total{path=\"tcp\"} 30.0",
            "follower_partitions{leader=\"2\",path=\"rdma\"} 12.0",
            "follower_partitions{leader=\"2\",path=\"tcp\"} 0.0",
            "follower_partitions{leader=\"10\",path=\"tcp\"} 4.0",
            "follower_lag_records{leader=\"2\",path=\"rdma\"} 1234.0",
            "follower_lag_records{leader=\"10\",path=\"tcp\"} 5.0",
            "follower_fetch_age_ms{leader=\"2\"} 300.0",
            "follower_fetch_age_ms{leader=\"10\"} 12000.0",
            "follower_sessions{leader=\"10\"} 0.0",
            "follower_sessions{leader=\"2\"} 2.0",
            "follower_fetches_total{leader=\"2\",path=\"rdma\"} 160.0",
            "follower_fetches_total{leader=\"2\",path=\"tcp\"} 10.0",
            "follower_fetches_total{leader=\"10\",path=\"tcp\"} 20.0",
            "follower_fallbacks_total{leader=\"2\",reason=\"link_lost\"} 5.0",
            "follower_fallbacks_total{leader=\"2\",reason=\"refused\"} 0.0",
            "follower_fallbacks_total{leader=\"10\",reason=\"ring_full\"} 1.0");

    private static String page(String... samples) {
        return "slipstream_plugin_" + String.join("\nslipstream_plugin_", samples) + "\n";
    }

    private static Map<String, MetricSamples> pages(String first) {
        Map<String, MetricSamples> pages = new LinkedHashMap<>();
        pages.put("b1:9495", MetricSamples.parse(first));
        pages.put("b2:9495", null);
        return pages;
    }

    private static ReplicationView view() {
        return ReplicationView.between(pages(BEFORE), pages(AFTER), 2);
    }

    @Test
    void shouldShowEachBrokerAndEachLeader() {
        ReplicationView view = view();

        assertThat(view.brokers())
                .containsExactly(
                        new ReplicationView.BrokerRow("b1:9495", "serving", 2, 12, 4, 40, 0.75, 2000),
                        new ReplicationView.BrokerRow("b2:9495", "no answer", 0, 0, 0, 0, -1, 0));
        assertThat(view.leaders())
                .as("sorted by number; the series of leader 3 have ended, and those of 10 are new")
                .containsExactly(
                        new ReplicationView.LeaderRow("b1:9495", "2", 2, 12, 0, 1234, 300, 30, 1),
                        new ReplicationView.LeaderRow("b1:9495", "10", 0, 0, 4, 5, 12_000, 10, 0));
        assertThat(view.fallbacks())
                .containsExactly(
                        new ReplicationView.FallbackRow("b1:9495", "2", "link_lost", 1, 5),
                        new ReplicationView.FallbackRow("b1:9495", "10", "ring_full", 0.5, 1));
    }

    /** A leader whose series ended and came again, or a broker that restarted. */
    @Test
    void shouldNotShowNegativeRates() {
        ReplicationView view = ReplicationView.between(pages(AFTER), pages(BEFORE), 2);

        assertThat(view.leaders().get(0).fetchesPerSecond()).isEqualTo(50);
        assertThat(view.fallbacks()).allMatch(row -> row.perSecond() >= 0);
    }

    @Test
    void shouldLayOutAllOfIt() throws IOException {
        List<String> lines = view().lines(new TopScreen(140, 100, 20, Order.REQUESTS, false)).stream()
                .map(line -> line.render(140, false))
                .toList();

        assertThat(lines.get(0)).isEqualTo("Replication  brokers 2  in the last 2.0 s");
        assertThat(String.join("\n", lines))
                .containsPattern("b1:9495 +serving +2 +12 +4 +40 +75.0 % +2.0 kB/s")
                .containsPattern("b2:9495 +no answer")
                .containsPattern("b1:9495 +2 +2 +12 +0 +1,234 +300 ms +30 +100 %")
                .containsPattern("b1:9495 +10 +0 +0 +4 +5 +12.0 s +10 +0 %")
                .containsPattern("b1:9495 +2 +link_lost +1.0 +5");
        assertThat(new ObjectMapper().writeValueAsString(view())).contains("\"lagRecords\":1234");
    }

    @Test
    void shouldFitTheTerminal() {
        for (int width : new int[] {1, 20, 80, 200}) {
            for (StyledLine line : view().lines(new TopScreen(width, 8, 1, Order.BYTES, false))) {
                assertThat(line.render(width, false).length()).isLessThanOrEqualTo(width);
            }
        }
        assertThat(view().lines(new TopScreen(140, 100, 1, Order.BYTES, false)).stream()
                        .map(line -> line.render(140, false)))
                .contains("… and 1 more leaders");
    }

    private static HttpServer serve(String page) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/metrics", exchange -> {
            byte[] body = page.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        return server;
    }

    private static String url(HttpServer server) {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** When one broker is down, the others are looked at most. */
    @Test
    void shouldShowTheOthersIfOneBrokerDoesNotAnswer() throws IOException {
        HttpServer broker = serve(AFTER);
        HttpServer gone = serve(AFTER);
        String urlOfGone = url(gone);
        gone.stop(0);
        try {
            ReplicationSource source = new ReplicationSource(List.of(url(broker), urlOfGone));

            assertThat(source.next()).isNull();
            assertThat(source.next().brokers())
                    .extracting(ReplicationView.BrokerRow::state)
                    .containsExactly("serving", "no answer");
        } finally {
            broker.stop(0);
        }
        assertThatThrownBy(() -> new ReplicationSource(List.of(urlOfGone)).next())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("does not answer")
                .hasMessageContaining("slipstream.metrics.address");
    }

    @Test
    void shouldRefuseThePageOfSomethingElse() throws IOException {
        HttpServer other = serve("jvm_memory_used_bytes 5.0\n");
        try {
            assertThatThrownBy(() -> new ReplicationSource(List.of(url(other))).next())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no meters of a plugin");
        } finally {
            other.stop(0);
        }
        assertThatThrownBy(() -> new ReplicationSource(List.of("broker-1")))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
