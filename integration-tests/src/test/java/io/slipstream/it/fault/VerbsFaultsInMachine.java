// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.it.Seed;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.PathCounts;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A stock broker with the agent and the proxy over a kernel's RDMA device, with stock clients, while processes die,
 * pause and lose the device. {@code SoftRoceVerbsIT} runs it inside the Soft-RoCE machine; its name excludes it from
 * other runs. It is the last class there, because it stops the broker that all share.
 */
@Order(Integer.MAX_VALUE)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class VerbsFaultsInMachine {
    private static final int RECORDS = 3_000;
    private static final long MOST_RECORDS = 2_400;
    private static final int BATCH_BYTES = 64 << 10;
    private static final int TAIL_BATCHES = 160;
    /** A reader needs another window after at least that growth of the log. */
    private static final int WINDOW_BYTES = 4 << 20;
    /** The netdev of the RDMA device, as the machine configures it. */
    private static final String NETDEV = System.getenv().getOrDefault("SLIPSTREAM_RDMA_NETDEV", "dummy0");

    @RegisterExtension
    final VerbsBroker shared = new VerbsBroker();

    private BrokerProcess broker;
    private ProxyProcess proxy;

    @BeforeAll
    void start() throws Exception {
        broker = shared.process();
        proxy = ProxyProcess.builder(broker).start();
        broker.awaitServing();
        try (RecordStream stream = stream(1)) {
            awaitMoreByRdma(stream);
        }
    }

    @AfterAll
    void stop() {
        Faults.close(proxy);
    }

    @Test
    @Order(1)
    void shouldServeAStreamByRdmaAndReleaseItsState() throws Exception {
        PathCounts before = PathCounts.in(proxy.metrics());
        try (RecordStream stream = stream(RECORDS)) {
            stream.verify();
        }

        PathCounts counts = PathCounts.in(proxy.metrics()).since(before);
        assertThat(counts.rdmaProduced()).as("%s", counts).isGreaterThan(MOST_RECORDS);
        assertThat(counts.rdmaFetched()).as("%s", counts).isGreaterThan(MOST_RECORDS);
        Faults.awaitIdle(proxy);
    }

    /**
     * Registering pins memory, so a reader gets windows of a file. At the end of a preallocated one it needs another
     * window once per some megabytes, not with each batch.
     */
    @Test
    @Order(2)
    void shouldReadTheEndOfAPreallocatedLogThroughFewWindows() throws Exception {
        MetadataResponseBroker node = RawTopics.onlyBroker(proxy.bootstrapServers());
        try (RawTopics topics = new RawTopics(broker.bootstrapServers());
                RawClient producer = RawClient.connect(broker.bootstrapServers());
                RawClient consumer = RawClient.connect(new InetSocketAddress(node.host(), node.port()))) {
            TopicRef topic = topics.create("preallocated", 1, "preallocate", "true", "segment.bytes", "16777216");
            RequestFrame batch = ProduceRequests.version(ProduceRequests.NEWEST, (short) 1)
                    .add(topic, 0, Batches.of(new byte[BATCH_BYTES]))
                    .frame();
            long byRdma = Faults.requests(proxy, "FETCH", "rdma");
            long windows = windows();
            for (int offset = 0; offset < TAIL_BATCHES; offset++) {
                producer.send(batch);
                producer.receiveAndDiscard();
                consumer.send(FetchRequests.version(FetchRequests.NEWEST)
                        .add(topic, 0, offset)
                        .frame());
                assertThat(consumer.receive().frame().remaining())
                        .as("the fetch of offset %d", offset)
                        .isGreaterThan(BATCH_BYTES);
            }

            long read = Faults.requests(proxy, "FETCH", "rdma") - byRdma;
            assertThat(read).as("fetches by RDMA").isGreaterThan(TAIL_BATCHES * 3 / 4);
            assertThat(windows() - windows)
                    .as("windows for %d batches of 64 KiB", read)
                    .isLessThanOrEqualTo(1 + TAIL_BATCHES * BATCH_BYTES / WINDOW_BYTES);
        }
    }

    private long windows() {
        return proxy.metrics().count("slipstream_grants_granted_total", "kind", "read");
    }

    /**
     * One stream through several faults in turn. It goes by RDMA again after each, and at the end nothing is lost,
     * duplicated or reordered.
     */
    @Test
    @Order(3)
    void shouldLoseNothingInAnyFault() throws Exception {
        try (RecordStream stream = stream(RECORDS)) {
            stream.awaitAcknowledged(0.2);
            Faults.awaitByRdma(proxy, "PRODUCE");

            loseTheDevice(stream);
            pauseAndResume(stream);
            killTheProxy(stream);
            killTheBroker(stream);

            stream.verify();
        }
    }

    private RecordStream stream(int records) throws Exception {
        RecordStream stream = new RecordStream(broker.bootstrapServers(), "verbs", new Random(Seed.ofRun()));
        stream.consume(proxy.bootstrapServers());
        stream.produce(proxy.bootstrapServers(), records);
        return stream;
    }

    /** While the device is down the stream takes TCP. */
    private void loseTheDevice(RecordStream stream) throws Exception {
        long byTcp = Faults.requests(proxy, "PRODUCE", "tcp");
        link("down");
        try {
            Faults.awaitMore(broker, proxy, stream, "tcp", byTcp);
        } finally {
            link("up");
        }
        awaitMoreByRdma(stream);
    }

    /**
     * The paused proxy does not learn that the device went down and the broker fenced its link. It resumes with
     * buffered client requests and a stale queue pair, and its writes have no effect.
     */
    private void pauseAndResume(RecordStream stream) throws Exception {
        int closedBefore = linksClosed();
        signal("STOP");
        try {
            link("down");
            await().atMost(Patience.ofSeconds(30))
                    .alias("the broker fences the link of the paused proxy")
                    .until(() -> linksClosed() > closedBefore);
        } finally {
            link("up");
            signal("CONT");
        }
        awaitMoreByRdma(stream);
    }

    private void killTheProxy(RecordStream stream) {
        proxy.kill9();
        proxy.restart();
        awaitMoreByRdma(stream);
    }

    private void killTheBroker(RecordStream stream) {
        broker.kill9();
        broker.restart();
        awaitMoreByRdma(stream);
    }

    private void awaitMoreByRdma(RecordStream stream) {
        Faults.awaitMore(broker, proxy, stream, "rdma", Faults.requests(proxy, "PRODUCE", "rdma"));
    }

    @Test
    @Order(4)
    void shouldLeaveNoRdmaObjectBehind() throws Exception {
        Faults.awaitIdle(proxy);
        proxy.stop();
        broker.stop();
        assertThat(Files.readString(broker.log(), StandardCharsets.UTF_8))
                .as("the broker's log of its shutdown")
                .contains("Slipstream stopped");
        await().atMost(Patience.ofSeconds(5))
                .untilAsserted(() -> assertThat(RdmaObjects.count()).isEqualTo(shared.objectsBefore()));
    }

    /** Returns the links that the plugin closed so far, by its log. */
    private int linksClosed() {
        try (java.util.stream.Stream<String> lines = Files.lines(broker.log(), StandardCharsets.UTF_8)) {
            return (int)
                    lines.filter(line -> line.matches(".*Link \\d+ closed.*")).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void signal(String name) throws Exception {
        Commands.run("kill", "-" + name, Long.toString(proxy.pid()));
    }

    private static void link(String state) throws Exception {
        Commands.run("ip", "link", "set", NETDEV, state);
    }
}
