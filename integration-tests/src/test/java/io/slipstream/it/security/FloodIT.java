// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.ProduceResponseData;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Hostile peers open many connections, or never complete a request, on each port of the proxy. Meanwhile the proxy
 * serves another client by RDMA. Afterwards no state remains.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class FloodIT {
    private static final int LIMIT = 1_000;
    private static final int FLOOD = 10_000;
    private static final int SLOW = 300;
    private static final int IDLE_MS = 5_000;
    /** Size in the header of an incomplete frame. */
    private static final int ANNOUNCED_BYTES = 100 << 20;
    /** Permitted memory for all incomplete frames, whose headers add up to 30 GB. */
    private static final long SPARE_KIB = 300 << 10;

    private static BrokerProcess broker;
    private static ProxyProcess proxy;
    private static RequestFrame produce;
    private final List<SocketChannel> hostile = new ArrayList<>();

    @BeforeAll
    static void start() throws IOException {
        broker = BrokerProcess.builder(BrokerLine.NEWEST).withAgent().start();
        proxy = ProxyProcess.builder(broker)
                .property("max.connections", Integer.toString(LIMIT))
                .property("client.idle.timeout.ms", Integer.toString(IDLE_MS))
                .start();
        try (RawTopics topics = new RawTopics(broker.bootstrapServers())) {
            TopicRef topic = topics.create("flooded", 1);
            produce = ProduceRequests.version(ProduceRequests.NEWEST, 1)
                    .add(topic, 0, Batches.of(new byte[100]))
                    .frame();
        }
    }

    @AfterAll
    static void stop() {
        if (proxy != null) {
            proxy.close();
        }
        if (broker != null) {
            broker.close();
        }
    }

    @AfterEach
    void closeHostileConnections() throws IOException {
        for (SocketChannel channel : hostile) {
            channel.close();
        }
        await().atMost(Patience.ofSeconds(20))
                .alias("no connection remains")
                .until(() -> proxy.metrics().count("slipstream_connections", "side", "client") == 0
                        && proxy.metrics().count("slipstream_connections", "side", "upstream") == 0);
    }

    @Test
    void shouldServeOthersDuringTenThousandHostileConnections() throws IOException {
        try (RawClient bystander = bystander()) {
            long startNs = System.nanoTime();
            for (int i = 0; i < FLOOD; i++) {
                connect(proxy.port());
                if (i % 500 == 0) {
                    produce(bystander);
                }
            }
            // On a busy machine some time out meanwhile, and others take their places.
            long timesOut = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs) / IDLE_MS;
            await().atMost(Patience.ofSeconds(60))
                    .untilAsserted(
                            () -> assertThat(proxy.metrics().count("slipstream_disconnects_total", "cause", "limit"))
                                    .as("connections refused, of %d", FLOOD)
                                    .isGreaterThanOrEqualTo(FLOOD - LIMIT * (1 + timesOut)));
            produceByRdma(bystander);
            assertThat(proxy.metrics().count("slipstream_connections", "side", "client"))
                    .as("clients connected")
                    .isLessThanOrEqualTo(LIMIT);
            assertThat(linesOfLog("max.connections"))
                    .as("lines in the log")
                    .isPositive()
                    .isLessThan(100);
        }
    }

    @Test
    void shouldNotHoldMemoryForIncompleteFrames() throws Exception {
        try (RawClient bystander = bystander()) {
            long beforeKib = residentKib();
            ByteBuffer start = ByteBuffer.allocate(12).putInt(ANNOUNCED_BYTES).putLong(0);
            for (int i = 0; i < SLOW; i++) {
                connect(proxy.port()).write(start.rewind());
            }
            long endNs = System.nanoTime() + Duration.ofMillis(2 * IDLE_MS).toNanos();
            while (endNs - System.nanoTime() > 0) {
                for (SocketChannel slow : hostile) {
                    trickle(slow);
                }
                produceByRdma(bystander);
                assertThat(residentKib() - beforeKib)
                        .as("additional resident KiB")
                        .isLessThan(SPARE_KIB);
                TimeUnit.MILLISECONDS.sleep(200);
            }
            assertThat(proxy.metrics().count("slipstream_connections", "side", "client"))
                    .as("clients, after those without a complete request in %d ms are disconnected", IDLE_MS)
                    .isOne();
        }
    }

    @Test
    void shouldAnswerProbesDuringSlowRequestsToTheManagementPort() throws Exception {
        int port = URI.create(proxy.managementUrl()).getPort();
        ByteBuffer start = ByteBuffer.wrap("GET /metrics HT".getBytes(StandardCharsets.US_ASCII));
        for (int i = 0; i < SLOW; i++) {
            connect(port).write(start.rewind());
            if (i % 50 == 0) {
                assertThat(proxy.isReady()).isTrue();
            }
        }
        assertThat(proxy.get("/livez")).isEqualTo("ok\n");
        await().atMost(Patience.ofSeconds(15))
                .untilAsserted(() -> assertThat(
                                hostile.stream().filter(FloodIT::isOpen).count())
                        .as("remaining connections of %d", SLOW)
                        .isLessThanOrEqualTo(64));
    }

    private static RawClient bystander() throws IOException {
        RawClient client = RawClient.connect(proxy.bootstrapServers());
        await().atMost(Patience.ofSeconds(15))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> {
                    long before = byRdma();
                    produce(client);
                    return byRdma() > before;
                });
        return client;
    }

    private static void produceByRdma(RawClient client) throws IOException {
        long before = byRdma();
        produce(client);
        assertThat(byRdma()).as("produces by RDMA").isGreaterThan(before);
    }

    private static void produce(RawClient client) throws IOException {
        client.send(produce);
        ProduceResponseData response = client.receive().as(ProduceResponseData.class);
        assertThat(response.responses().iterator().next().partitionResponses())
                .allSatisfy(partition -> assertThat(partition.errorCode()).isZero());
    }

    private SocketChannel connect(int port) throws IOException {
        SocketChannel channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", port));
        channel.configureBlocking(false);
        hostile.add(channel);
        return channel;
    }

    private static void trickle(SocketChannel channel) {
        try {
            channel.write(ByteBuffer.allocate(1));
        } catch (IOException closed) {
            // Expected at the end.
        }
    }

    private static boolean isOpen(SocketChannel channel) {
        try {
            return channel.read(ByteBuffer.allocate(1)) >= 0;
        } catch (IOException closed) {
            return false;
        }
    }

    private static long residentKib() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/" + proxy.pid() + "/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new IllegalStateException("no VmRSS of " + proxy.pid());
    }

    private static long linesOfLog(String text) throws IOException {
        try (var lines = Files.lines(proxy.log())) {
            return lines.filter(line -> line.contains(text)).count();
        }
    }

    private static long byRdma() {
        return proxy.metrics().count("slipstream_requests_total", "api", "PRODUCE", "path", "rdma");
    }
}
