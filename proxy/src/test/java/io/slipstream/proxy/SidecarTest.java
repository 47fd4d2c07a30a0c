// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.link.meter.Meter;
import io.slipstream.link.net.NameLookups;
import io.slipstream.link.net.SlowNames;
import io.slipstream.proxy.listener.BindException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBrokerCollection;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients of the whole proxy: order, limits, lost brokers, and the end of the proxy. */
@Timeout(60)
class SidecarTest extends SidecarFixture {
    /** A label of 64 letters, which fails without a DNS query. */
    private static final String UNKNOWN = "x".repeat(64) + ".invalid";

    private static final byte[] ACKS_NONE = {(byte) 0xff, (byte) 0xff, 0, 0};

    @Test
    void shouldAnswerPipelinedRequestsInOrder() throws IOException {
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
        MetadataResponseBroker one = brokers(sidecar.bootstrapAddress()).find(1);
        assertThat(one.host()).isEqualTo("127.0.0.1");
        assertThat(one.port()).isNotEqualTo(broker.port());
        try (WireClient client = new WireClient(new InetSocketAddress(one.host(), one.port()))) {
            client.send(WireClient.request(ECHO, 0, 1));
            assertThat(client.receive().getInt()).isEqualTo(1);
        }
    }

    /** The brokers that the proxy names to clients of that address. */
    static MetadataResponseBrokerCollection brokers(InetSocketAddress proxy) throws IOException {
        try (WireClient client = new WireClient(proxy)) {
            client.send(WireClient.request(ApiKeys.METADATA.id, 5, 9, new byte[] {0, 0, 0, 0, 0}));
            ByteBuffer response = client.receive();
            assertThat(response.getInt()).isEqualTo(9);
            return new MetadataResponseData(new ByteBufferAccessor(response), (short) 5).brokers();
        }
    }

    @Test
    void shouldCloseClientsBeyondTheLimitAndServeTheOthers() throws Exception {
        sidecar.close();
        sidecar = start(Map.of("max.connections", "2"));
        try (WireClient first = client();
                WireClient second = client()) {
            Awaitility.await().until(() -> sidecar.meters().value(Meter.CONNECTIONS, "client") == 2);
            try (WireClient third = client()) {
                assertThat(third.isClosedByPeer())
                        .as("the connection above the limit")
                        .isTrue();
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
    void shouldCloseOnGarbageAndServeOtherClients() throws IOException {
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
    void shouldRefuseRequestsWhoseAnswersItDoesNotKnow() throws IOException {
        short unknownApi = 1_000;
        short tooNew = (short) (ApiKeys.DESCRIBE_CONFIGS.latestVersion() + 1);
        for (byte[] request : List.of(
                WireClient.request(unknownApi, 0, 1), WireClient.request(ApiKeys.DESCRIBE_CONFIGS.id, tooNew, 1))) {
            try (WireClient client = client()) {
                client.send(request);
                assertThat(client.isClosedByPeer()).isTrue();
            }
        }
        assertThat(broker.received()).isEmpty();
        Awaitility.await().until(() -> sidecar.meters().value(Meter.DISCONNECTS, "unsupported_api") == 2);
    }

    @Test
    void shouldForwardRequestsOfAClientThatDisconnected() throws IOException {
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

    /** A broker carries out one request before it reads the next. */
    @Test
    void shouldForwardRequestsThatCameWithOneThatCannotBeRead() throws IOException {
        try (WireClient client = client()) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            all.write(WireClient.request(ScriptedBroker.SILENT, 0, 1));
            all.write(WireClient.request(ScriptedBroker.SILENT, 0, 2));
            all.write(new byte[] {0, 0, 0, 3, 1, 2, 3});
            client.send(all.toByteArray());
            assertThat(client.isClosedByPeer()).isTrue();
        }
        Awaitility.await().untilAsserted(() -> assertThat(broker.received()).containsExactly(1, 2));
    }

    @Test
    void shouldAnswerAClientThatShutDownItsOutput() throws IOException {
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
    void shouldServeAfterABrokerReturns() throws Exception {
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
            assertThat(sent.get()).as("requests sent before the client stalls").isLessThan(requests / 2);
            for (int i = 0; i < requests; i++) {
                assertThat(client.receive().getInt()).isEqualTo(i);
            }
            sender.join();
        }
    }

    @Test
    void shouldFinishRequestsInFlightWhenItStops() throws Exception {
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
    void shouldWriteTheWholeLastAnswerBeforeItStops() throws Exception {
        int sizeBytes = 40_000_000;
        sidecar.close();
        sidecar = start(Map.of("drain.timeout.ms", "30000"));
        try (WireClient client = client()) {
            client.send(WireClient.request(ECHO, 0, 1, new byte[sizeBytes]));
            Awaitility.await().until(() -> broker.received().contains(1));
            Thread stopping = new Thread(sidecar::close);
            stopping.start();
            // The answer exceeds the socket buffers: most of it is unsent when the session has nothing left to answer.
            Awaitility.await().until(() -> sidecar.meters().value(Meter.CONNECTIONS, "client") == 0);
            assertThat(client.receive().remaining()).isGreaterThanOrEqualTo(sizeBytes);
            assertThat(client.isClosedByPeer()).isTrue();
            stopping.join();
        }
        assertThat(sidecar.hasCutClients()).isFalse();
    }

    @Test
    void shouldStopAtOnceWithoutClients() {
        long startNs = System.nanoTime();
        sidecar.close();
        assertThat(sidecar.hasCutClients()).isFalse();
        assertThat(Duration.ofNanos(System.nanoTime() - startNs))
                .as("time to stop")
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
    void shouldServeDuringNameLookups() throws Exception {
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
        assertThat(slow.asked).as("names that cluster and client look up").containsOnly("localhost");
        slow.release();
        Awaitility.await().until(() -> sidecar.notReadyReason() == null);
        try (WireClient client = client()) {
            client.send(WireClient.request(ECHO, 0, 3));
            assertThat(client.receive().getInt()).isEqualTo(3);
        }
    }

    @Test
    void shouldRefuseToListenOnAnUnknownName() {
        assertThatThrownBy(() -> start(Map.of("listen.host", UNKNOWN)))
                .isInstanceOf(BindException.class)
                .hasMessageContaining(UNKNOWN)
                .hasMessageContaining("'listen.host'");
    }

    @Test
    void shouldTryAllAddressesOfAName() throws Exception {
        sidecar.close();
        SlowNames names = new SlowNames();
        names.release();
        sidecar = start(Map.of("bootstrap.servers", "localhost:" + broker.port()), new NameLookups(names));
        Awaitility.await().until(() -> sidecar.notReadyReason() == null);
        try (WireClient client = client()) {
            client.send(WireClient.request(ECHO, 0, 3));
            assertThat(client.receive().getInt()).isEqualTo(3);
        }
    }

    @Test
    void shouldGiveClientsTheAddressByWhichTheyCame() throws Exception {
        sidecar.close();
        sidecar = start(Map.of("listen.host", "0.0.0.0", "advertised.host", "*"));
        int port = sidecar.bootstrapAddress().getPort();
        for (String host : List.of("127.0.0.1", "127.0.0.2")) {
            assertThat(brokers(new InetSocketAddress(host, port)).find(1).host())
                    .isEqualTo(host);
        }
    }

    @Test
    void shouldCloseTheConnectionOfAResponseThatCannotBeRewritten() throws IOException {
        try (WireClient client = client()) {
            // The scripted broker's answer ends within the coordinator's node id.
            client.send(WireClient.request(ApiKeys.FIND_COORDINATOR.id, 1, 1));
            assertThat(client.isClosedByPeer()).isTrue();
        }
        assertThat(sidecar.meters().value(Meter.DISCONNECTS, "upstream_protocol"))
                .isOne();
    }
}
