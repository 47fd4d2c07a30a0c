package io.slipstream.it.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.harness.BrokerLine;
import io.slipstream.harness.BrokerProcess;
import io.slipstream.harness.Patience;
import io.slipstream.harness.ProxyProcess;
import io.slipstream.it.Seed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;

/**
 * A stock broker with the agent and the proxy over a kernel's RDMA device, with stock clients, while processes die, sleep and lose the
 * device. Run inside the Soft-RoCE machine, by {@code SoftRoceKafkaIT}; its name keeps it out of runs elsewhere.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class VerbsFaultsInMachine {
    private static final int RECORDS = 3_000;
    /** The netdev below the RDMA device, as the machine sets it up. */
    private static final String NETDEV = System.getenv().getOrDefault("SLIPSTREAM_RDMA_NETDEV", "dummy0");

    private RdmaObjects before;
    private BrokerProcess broker;
    private ProxyProcess proxy;

    @BeforeAll
    void start() throws Exception {
        before = RdmaObjects.count();
        broker = BrokerProcess.builder(BrokerLine.NEWEST).withVerbs().start();
        proxy = ProxyProcess.builder(broker).start();
    }

    @AfterAll
    void stop() {
        Faults.close(proxy);
        Faults.close(broker);
    }

    private Stream stream(String name) throws Exception {
        Stream stream = new Stream(broker.bootstrapServers(), name, new Random(Seed.ofRun()));
        stream.consume(proxy.bootstrapServers());
        stream.produce(proxy.bootstrapServers(), RECORDS);
        return stream;
    }

    @Test
    @Order(1)
    void shouldCarryAStreamByRdmaAndForgetIt() throws Exception {
        try (Stream stream = stream("whole")) {
            stream.verify();
        }
        Faults.assertMostlyByRdma(proxy, "PRODUCE");
        Faults.assertMostlyByRdma(proxy, "FETCH");
        assertThat(proxy.metrics().sum("slipstream_registered_bytes")).isPositive();
        Faults.awaitIdle(proxy);
    }

    @Test
    @Order(2)
    void shouldLoseNothingWhenTheProxyIsKilled() throws Exception {
        try (Stream stream = stream("proxy-killed")) {
            stream.awaitAcknowledged(0.2);
            Faults.awaitByRdma(proxy, "PRODUCE");

            proxy.kill9();
            proxy.restart();

            Faults.awaitMore(proxy, stream, "rdma", Faults.requests(proxy, "PRODUCE", "rdma"));
            stream.verify();
        }
    }

    @Test
    @Order(3)
    void shouldGoOnOverTcpWhileTheDeviceIsDownAndByRdmaWhenItIsBack() throws Exception {
        try (Stream stream = stream("device-down")) {
            stream.awaitAcknowledged(0.2);
            Faults.awaitByRdma(proxy, "PRODUCE");

            long byTcp = Faults.requests(proxy, "PRODUCE", "tcp");
            link("down");
            try {
                Faults.awaitMore(proxy, stream, "tcp", byTcp);
            } finally {
                link("up");
            }

            Faults.awaitMore(proxy, stream, "rdma", Faults.requests(proxy, "PRODUCE", "rdma"));
            stream.verify();
        }
    }

    /**
     * The proxy sleeps, and so does not learn that the device went down and the broker fenced its link; it wakes with what its clients sent
     * meanwhile and a queue pair that it believes in, and writes: into nothing.
     */
    @Test
    @Order(4)
    void shouldFenceAWriterThatSleptAndWoke() throws Exception {
        try (Stream stream = stream("stale-writer")) {
            stream.awaitAcknowledged(0.2);
            Faults.awaitByRdma(proxy, "PRODUCE");
            int closedBefore = linksClosed();

            signal("STOP");
            try {
                link("down");
                await().atMost(Patience.ofSeconds(30))
                        .alias("the broker fences the link of a proxy that sleeps")
                        .until(() -> linksClosed() > closedBefore);
            } finally {
                link("up");
                signal("CONT");
            }

            Faults.awaitMore(proxy, stream, "rdma", Faults.requests(proxy, "PRODUCE", "rdma"));
            stream.verify();
        }
    }

    @Test
    @Order(5)
    void shouldLoseNothingWhenTheBrokerIsKilled() throws Exception {
        try (Stream stream = stream("broker-killed")) {
            stream.awaitAcknowledged(0.2);

            broker.kill9();
            broker.restart();
            Faults.awaitMore(proxy, stream, "rdma", Faults.requests(proxy, "PRODUCE", "rdma"));

            stream.verify();
        }
    }

    @Test
    @Order(6)
    void shouldLeaveNoRdmaObjectBehind() throws Exception {
        Faults.awaitIdle(proxy);
        proxy.stop();
        broker.stop();
        assertThat(Files.readString(broker.log(), StandardCharsets.UTF_8))
                .as("the broker's own count at its end")
                .contains("Slipstream stopped");
        await().atMost(Patience.ofSeconds(5))
                .untilAsserted(() -> assertThat(RdmaObjects.count()).isEqualTo(before));
    }

    /** Links that the plugin closed so far, by its log. */
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
