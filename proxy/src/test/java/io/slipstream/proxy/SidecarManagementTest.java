// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.util.concurrent.EventExecutor;
import io.slipstream.link.meter.Meter;
import io.slipstream.metrics.LatencyHistogram;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.protocol.ApiKeys;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The management port of the whole proxy. */
@Timeout(60)
class SidecarManagementTest extends SidecarFixture {
    /** No transactional id, acks=0, timeout 1 s, topic cars, partition 7, four bytes that are not a batch. */
    private static final byte[] PRODUCED =
            HexFormat.of().parseHex("ffff0000000003e80000000100046361727300000001000000070000000401020304");

    @Test
    void shouldServeItsManagementPages() throws Exception {
        assertThat(get("/livez", "GET").statusCode()).isEqualTo(200);
        assertThat(get("/readyz", "GET").statusCode()).isEqualTo(200);
        assertThat(sidecar.meters().value(Meter.READY)).isOne();
        assertThat(get("/readyz", "GET").body()).contains("rdma: ");
        assertThat(get("/metrics", "GET").body()).contains("slipstream_connections{side=\"client\"}");
        assertThat(get("/rdma", "GET").body()).isEqualTo("disabled\n");
        assertThat(get("/rdma?enabled=maybe", "PUT").statusCode()).isEqualTo(400);
        assertThat(get("/rdma?enabled=true", "DELETE").statusCode()).isEqualTo(405);
        assertThat(get("/metrics", "POST").statusCode()).isEqualTo(405);
        assertThat(get("/nowhere", "GET").statusCode()).isEqualTo(404);
        try (WireClient garbage = new WireClient(sidecar.managementAddress())) {
            garbage.send(new byte[] {0, 1, 2, 3, '\r', '\n', '\r', '\n'});
            assertThat(garbage.isClosedByPeer() || get("/livez", "GET").statusCode() == 200)
                    .isTrue();
        }
        assertThat(get("/livez", "GET").statusCode()).isEqualTo(200);
    }

    @Test
    void shouldRefuseRequestsForOtherHosts() throws Exception {
        assertThat(statusLine("Host: evil.example:9091")).contains(" 421 ");
        assertThat(statusLine("Host: localhost", "Host: evil.example")).contains(" 421 ");
        assertThat(statusLine("Host: localhost:9091")).contains(" 200 ");
        assertThat(statusLine("X-No-Host: at all")).contains(" 200 ");
    }

    private String statusLine(String... headers) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(sidecar.managementAddress(), 10_000);
            socket.setSoTimeout(10_000);
            String request = "GET /top HTTP/1.1\r\n" + String.join("\r\n", headers) + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .findFirst()
                    .orElse("");
        }
    }

    @Test
    void shouldServeWhileEventLoopsAreStuckAndNameOne() throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        LatencyHistogram wakeups = sidecar.meters().latency(Meter.WAKEUP_LATENCY);
        Awaitility.await().until(() -> wakeups.count() >= 2);
        try {
            for (EventExecutor loop : sidecar.transport.loops()) {
                loop.execute(() -> awaitUninterruptibly(stuck));
            }
            assertThat(get("/metrics", "GET").statusCode()).isEqualTo(200);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(40))
                    .until(() -> get("/livez", "GET").statusCode() == 503);
            assertThat(get("/livez", "GET").body()).contains("slipstream-loop-");
        } finally {
            stuck.countDown();
        }
        Awaitility.await().until(() -> get("/livez", "GET").statusCode() == 200);
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await(50, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void shouldShowItsClients() throws Exception {
        try (WireClient client = client();
                WireClient silent = client()) {
            client.send(WireClient.request(ApiKeys.PRODUCE.id, 3, 1, PRODUCED));
            Awaitility.await().until(() -> sidecar.meters().value(Meter.REQUESTS, "PRODUCE", "tcp") == 1);
            silent.send(WireClient.request(ScriptedBroker.SILENT, 0, 2));
            Awaitility.await().until(() -> broker.received().contains(2));
            JsonNode page = new ObjectMapper().readTree(get("/top", "GET").body());
            assertThat(page.get("clientsOpen").asInt()).isEqualTo(2);
            assertThat(page.get("fallbacks").get("disabled").asInt()).isOne();
            JsonNode producer = null;
            JsonNode waiting = null;
            for (JsonNode one : page.get("clients")) {
                if (one.get("produceTcp").asInt() == 1) {
                    producer = one;
                } else {
                    waiting = one;
                }
            }
            assertThat(producer.get("inFlight").asInt()).isZero();
            assertThat(producer.get("latency").size()).isEqualTo(2);
            assertThat(producer.get("address").asText()).startsWith("127.0.0.1:");
            assertThat(waiting.get("inFlight").asInt()).isOne();
            JsonNode partition = page.get("partitions").get(0);
            assertThat(partition.get("name").asText()).isEqualTo("cars-7");
            assertThat(partition.get("producedBytesTcp").asInt()).isEqualTo(4);
            assertThat(partition.get("reason").asText()).isEqualTo("disabled");
        }
        assertThat(get("/top", "POST").statusCode()).isEqualTo(405);
    }

    @Test
    void shouldChangeLogLevelsAtRunTime() throws Exception {
        String logger = "io.slipstream.proxy.changed";
        assertThat(get("/log", "GET").body()).doesNotContain(logger);
        assertThat(get("/log?logger=" + logger + "&level=debug&for=10m", "PUT").body())
                .contains(logger + " DEBUG (temporarily)");
        assertThat(get("/log?logger=" + logger + "&level=DEFAULT", "POST").body())
                .doesNotContain(logger);
        assertThat(get("/log?logger=" + logger + "&level=LOUD", "PUT").statusCode())
                .isEqualTo(400);
        assertThat(get("/log?logger=com.example.Nobody&level=DEBUG", "PUT").statusCode())
                .isEqualTo(400);
        assertThat(get("/log?level=DEBUG", "PUT").statusCode()).isEqualTo(400);
        assertThat(get("/log", "DELETE").statusCode()).isEqualTo(405);
        assertThat(get("/tls/reload", "POST").body()).isEqualTo("TLS is not configured\n");
        assertThat(get("/tls/reload", "GET").statusCode()).isEqualTo(405);
    }

    @Test
    void shouldRefuseChangesFromAPageInABrowser() throws Exception {
        for (String page : new String[] {"/rdma?enabled=false", "/log?logger=io.slipstream&level=OFF", "/tls/reload"}) {
            URI uri =
                    URI.create("http://127.0.0.1:" + sidecar.managementAddress().getPort() + page);
            HttpRequest request = HttpRequest.newBuilder(uri)
                    .POST(HttpRequest.BodyPublishers.noBody())
                    .header("Origin", "http://example.com")
                    .timeout(Duration.ofSeconds(10))
                    .build();
            assertThat(HttpClient.newHttpClient()
                            .send(request, HttpResponse.BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(403);
        }
    }
}
