// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.slipstream.link.net.NameLookups;
import io.slipstream.link.net.SlowNames;
import io.slipstream.metrics.Meter;
import io.slipstream.proxy.config.ProxyConfig;
import io.slipstream.proxy.listener.BindException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The whole proxy, over sockets, in front of a scripted broker. */
@Timeout(60)
class SidecarTest {
    private static final int ECHO = 16;
    /** A label of 64 letters, which fails without a DNS query. */
    private static final String UNKNOWN = "x".repeat(64) + ".invalid";

    private static final byte[] ACKS_NONE = {(byte) 0xff, (byte) 0xff, 0, 0};

    /** No transactional id, acks=0, a second, topic cars, partition 7, four bytes that are no batch. */
    private static final byte[] PRODUCED = {
        -1,
        -1,
        0,
        0,
        0,
        0,
        3,
        (byte) 0xe8,
        0,
        0,
        0,
        1,
        0,
        4,
        'c',
        'a',
        'r',
        's',
        0,
        0,
        0,
        1,
        0,
        0,
        0,
        7,
        0,
        0,
        0,
        4,
        1,
        2,
        3,
        4
    };

    private ScriptedBroker broker;
    private Sidecar sidecar;

    @BeforeEach
    void start() throws Exception {
        broker = new ScriptedBroker();
        sidecar = start(Map.of());
    }

    private Sidecar start(Map<String, String> settings) throws InterruptedException {
        return start(settings, new NameLookups());
    }

    private Sidecar start(Map<String, String> settings, NameLookups names) throws InterruptedException {
        Map<String, String> all = new TreeMap<>(Map.of(
                "bootstrap.servers", "127.0.0.1:" + broker.port(),
                "listen.port", "0",
                "management.port", "0",
                "rdma.provider", "tcp",
                "event.loops", "2",
                "metadata.refresh.ms", "200",
                "drain.timeout.ms", "2000"));
        all.putAll(settings);
        Sidecar started = Sidecar.start(ProxyConfig.of(all), names);
        if (!settings.containsKey("bootstrap.servers")) {
            Awaitility.await().until(() -> started.notReadyReason() == null);
        }
        return started;
    }

    @AfterEach
    void stop() throws IOException {
        sidecar.close();
        broker.close();
    }

    private WireClient client() throws IOException {
        return new WireClient(sidecar.bootstrapAddress());
    }

    @Test
    void shouldAnswerPipelinedRequestsInTheirOrder() throws IOException {
        int requests = 3_000;
        try (WireClient client = client()) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (int i = 0; i < requests; i++) {
                all.write(WireClient.request(ECHO, 0, i, new byte[i % 50]));
            }
            client.send(all.toByteArray());
            for (int i = 0; i < requests; i++) {
                ByteBuffer response = client.receive();
                assertThat(response.getInt()).isEqualTo(i);
                assertThat(response.remaining()).as("the request's own bytes").isEqualTo(10 + i % 50);
            }
        }
        assertThat(sidecar.meters().value(Meter.REQUESTS, "LIST_GROUPS", "tcp")).isEqualTo(requests);
        Awaitility.await().until(() -> sidecar.meters().value(Meter.REQUESTS_IN_FLIGHT) == 0);
    }

    @Test
    void shouldSendClientsToItsOwnPortOfABroker() throws IOException {
        MetadataResponseData.MetadataResponseBroker one;
        try (WireClient client = client()) {
            client.send(WireClient.request(ApiKeys.METADATA.id, 5, 9, new byte[] {0, 0, 0, 0, 0}));
            ByteBuffer response = client.receive();
            assertThat(response.getInt()).isEqualTo(9);
            one = new MetadataResponseData(new ByteBufferAccessor(response), (short) 5)
                    .brokers()
                    .find(1);
        }
        assertThat(one.host()).isEqualTo("127.0.0.1");
        assertThat(one.port()).isNotEqualTo(broker.port());
        try (WireClient client = new WireClient(new InetSocketAddress(one.host(), one.port()))) {
            client.send(WireClient.request(ECHO, 0, 1));
            assertThat(client.receive().getInt()).isEqualTo(1);
        }
    }

    @Test
    void shouldCloseOneClientMoreThanAllowedAndServeTheOthers() throws Exception {
        sidecar.close();
        sidecar = start(Map.of("max.connections", "2"));
        try (WireClient first = client();
                WireClient second = client()) {
            Awaitility.await().until(() -> sidecar.meters().value(Meter.CONNECTIONS, "client") == 2);
            try (WireClient third = client()) {
                assertThat(third.isClosedByPeer()).as("one too many").isTrue();
            }
            assertThat(sidecar.meters().value(Meter.DISCONNECTS, "limit")).isOne();
            assertThat(sidecar.meters().value(Meter.MAX_CONNECTIONS)).isEqualTo(2);
            for (WireClient client : List.of(first, second)) {
                client.send(WireClient.request(ECHO, 0, 7));
                assertThat(client.receive().getInt()).isEqualTo(7);
            }
        }
        Awaitility.await().until(() -> sidecar.meters().value(Meter.CONNECTIONS, "client") == 0);
        try (WireClient later = client()) {
            later.send(WireClient.request(ECHO, 0, 8));
            assertThat(later.receive().getInt()).isEqualTo(8);
        }
    }

    @Test
    void shouldCloseOnGarbageAndDisturbNobody() throws IOException {
        byte[][] garbage = {
            "GET / HTTP/1.1\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII),
            {0x16, 0x03, 0x01, 0x02, 0x00, 0x01},
            {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff},
            {0, 0, 0, 0},
            {0, 0, 0, 3, 1, 2, 3},
            {0x7f, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0, 0}
        };
        try (WireClient bystander = client()) {
            for (byte[] bytes : garbage) {
                try (WireClient client = client()) {
                    client.send(bytes);
                    assertThat(client.isClosedByPeer()).isTrue();
                }
            }
            bystander.send(WireClient.request(ECHO, 0, 5));
            assertThat(bystander.receive().getInt()).isEqualTo(5);
        }
        assertThat(sidecar.meters().value(Meter.DISCONNECTS, "tls")).isEqualTo(1);
        assertThat(sidecar.meters().value(Meter.DISCONNECTS, "frame_size")).isEqualTo(3);
        assertThat(sidecar.meters().value(Meter.DISCONNECTS, "malformed_request"))
                .isEqualTo(2);
    }

    @Test
    void shouldCarryOutWhatAClientSentBeforeItLeft() throws IOException {
        int requests = 500;
        try (WireClient client = client()) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (int i = 0; i < requests; i++) {
                all.write(WireClient.request(ApiKeys.PRODUCE.id, 3, i, ACKS_NONE));
            }
            client.send(all.toByteArray());
        }
        Awaitility.await().until(() -> broker.received().size() == requests);
        assertThat(broker.received()).isSorted();
    }

    @Test
    void shouldAnswerAClientThatHasEndedItsOutput() throws IOException {
        try (WireClient client = client()) {
            client.send(WireClient.request(ECHO, 0, 1));
            client.send(WireClient.request(ECHO, 0, 2));
            client.endOutput();
            assertThat(client.receive().getInt()).isEqualTo(1);
            assertThat(client.receive().getInt()).isEqualTo(2);
            assertThat(client.isClosedByPeer()).isTrue();
        }
    }

    @Test
    void shouldCloseTheClientWhenItsBrokerIsLost() throws IOException {
        try (WireClient client = client()) {
            client.send(WireClient.request(ScriptedBroker.SILENT, 0, 1));
            Awaitility.await().until(() -> broker.received().contains(1));
            broker.disconnectAll();
            assertThat(client.isClosedByPeer()).isTrue();
        }
        assertThat(sidecar.meters().value(Meter.DISCONNECTS, "upstream_closed")).isEqualTo(1);
        Awaitility.await().until(() -> sidecar.meters().value(Meter.CONNECTIONS, "upstream") == 0);
    }

    @Test
    void shouldSurviveABrokerThatComesLateAndComesBack() throws Exception {
        int port = broker.port();
        broker.close();
        Awaitility.await().until(() -> sidecar.notReadyReason() != null);
        assertThat(sidecar.notReadyReason()).contains("bootstrap.servers").contains(Integer.toString(port));
        assertThat(sidecar.meters().value(Meter.READY)).isZero();
        try (WireClient client = client()) {
            assertThat(client.isClosedByPeer()).isTrue();
        }
        broker = new ScriptedBroker(port);
        Awaitility.await().until(() -> sidecar.notReadyReason() == null);
        try (WireClient client = client()) {
            client.send(WireClient.request(ECHO, 0, 3));
            assertThat(client.receive().getInt()).isEqualTo(3);
        }
    }

    @Test
    void shouldSlowDownAClientThatDoesNotReadItsAnswers() throws Exception {
        int requests = 4_000;
        byte[] body = new byte[50_000];
        AtomicInteger sent = new AtomicInteger();
        try (WireClient client = client()) {
            Thread sender = new Thread(() -> {
                try {
                    for (int i = 0; i < requests; i++) {
                        client.send(WireClient.request(ECHO, 0, i, body));
                        sent.incrementAndGet();
                    }
                } catch (IOException closed) {
                    // The assertions below report it.
                }
            });
            sender.start();
            int[] before = {-1};
            Awaitility.await().during(Duration.ofMillis(500)).until(() -> {
                int now = sent.get();
                boolean stalled = now > 0 && now == before[0];
                before[0] = now;
                return stalled;
            });
            assertThat(sent.get()).as("the rest is not buffered anywhere").isLessThan(requests / 2);
            for (int i = 0; i < requests; i++) {
                assertThat(client.receive().getInt()).isEqualTo(i);
            }
            sender.join();
        }
    }

    @Test
    void shouldFinishWhatIsInFlightWhenItStops() throws Exception {
        try (WireClient idle = client();
                WireClient stuck = client()) {
            idle.send(WireClient.request(ECHO, 0, 1));
            idle.receive();
            stuck.send(WireClient.request(ScriptedBroker.SILENT, 0, 2));
            Awaitility.await().until(() -> broker.received().contains(2));
            sidecar.close();
            assertThat(idle.isClosedByPeer()).isTrue();
            assertThat(stuck.isClosedByPeer()).isTrue();
        }
        assertThat(sidecar.hasCutClients()).isTrue();
        assertThat(sidecar.meters().value(Meter.DISCONNECTS, "drained")).isEqualTo(1);
        assertThat(sidecar.meters().value(Meter.DISCONNECTS, "drain_deadline")).isEqualTo(1);
        assertThat(sidecar.meters().value(Meter.CONNECTIONS, "client")).isZero();
    }

    @Test
    void shouldWriteItsLastAnswerToItsEndBeforeItStops() throws Exception {
        int sizeBytes = 40_000_000;
        sidecar.close();
        sidecar = start(Map.of("drain.timeout.ms", "30000"));
        try (WireClient client = client()) {
            client.send(WireClient.request(ECHO, 0, 1, new byte[sizeBytes]));
            Awaitility.await().until(() -> broker.received().contains(1));
            Thread stopping = new Thread(sidecar::close);
            stopping.start();
            // More than the socket buffers hold: most of it is unsent when the session has nothing left to answer.
            Awaitility.await().until(() -> sidecar.meters().value(Meter.CONNECTIONS, "client") == 0);
            assertThat(client.receive().remaining()).isGreaterThanOrEqualTo(sizeBytes);
            assertThat(client.isClosedByPeer()).isTrue();
            stopping.join();
        }
        assertThat(sidecar.hasCutClients()).isFalse();
    }

    @Test
    void shouldHaveNothingToCutIfNobodyIsThere() {
        long startNs = System.nanoTime();
        sidecar.close();
        assertThat(sidecar.hasCutClients()).isFalse();
        assertThat(Duration.ofNanos(System.nanoTime() - startNs))
                .as("long before the deadline would be")
                .isLessThan(Duration.ofSeconds(30));
        assertThat(sidecar.notReadyReason()).isEqualTo("stopping");
    }

    @Test
    void shouldRefuseToStartOnAPortInUse() {
        String port = Integer.toString(broker.port());
        assertThatThrownBy(() -> start(Map.of("listen.port", port)))
                .isInstanceOf(BindException.class)
                .hasMessageContaining(port)
                .hasMessageContaining("in use")
                .hasMessageContaining("'listen.port'");
        assertThatThrownBy(() -> start(Map.of("management.port", port)))
                .isInstanceOf(BindException.class)
                .hasMessageContaining("'management.port'");
    }

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
    void shouldServeWhileNamesOfBrokersAreLookedUp() throws Exception {
        sidecar.close();
        SlowNames slow = new SlowNames();
        sidecar = start(
                Map.of(
                        "bootstrap.servers",
                        "localhost:" + broker.port(),
                        "event.loops",
                        "1",
                        "upstream.connect.timeout.ms",
                        "500"),
                new NameLookups(slow));
        slow.awaitHanging();
        try (WireClient client = client()) {
            assertThat(get("/livez", "GET").statusCode()).isEqualTo(200);
            assertThat(client.isClosedByPeer()).isTrue();
        }
        assertThat(sidecar.meters().value(Meter.DISCONNECTS, "upstream_unreachable"))
                .isOne();
        Awaitility.await()
                .untilAsserted(
                        () -> assertThat(sidecar.notReadyReason()).contains("the name localhost", "within 500 ms"));
        assertThat(slow.asked).as("the cluster's and the client's").containsOnly("localhost");
        slow.release();
        Awaitility.await().until(() -> sidecar.notReadyReason() == null);
        try (WireClient client = client()) {
            client.send(WireClient.request(ECHO, 0, 3));
            assertThat(client.receive().getInt()).isEqualTo(3);
        }
    }

    @Test
    void shouldRefuseToListenOnANameThatNobodyKnows() {
        assertThatThrownBy(() -> start(Map.of("listen.host", UNKNOWN)))
                .isInstanceOf(BindException.class)
                .hasMessageContaining(UNKNOWN)
                .hasMessageContaining("'listen.host'");
    }

    @Test
    void shouldShowWhatItsClientsDo() throws Exception {
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
    void shouldNotBeSwitchedByAPageInABrowser() throws Exception {
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

    private HttpResponse<String> get(String page, String method) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + sidecar.managementAddress().getPort() + page);
        HttpRequest request = HttpRequest.newBuilder(uri)
                .method(method, HttpRequest.BodyPublishers.noBody())
                .timeout(Duration.ofSeconds(10))
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }
}
