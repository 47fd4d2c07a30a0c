// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.slipstream.faults.Signals;
import io.slipstream.harness.Alteration;
import io.slipstream.it.Seed;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Checkout;
import io.slipstream.process.ChildProcess;
import io.slipstream.process.PathCounts;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Operator actions on a proxy under load: switching RDMA, monitoring, stopping and takeover by another proxy. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class OperationsIT {
    private static final int RECORDS = 30_000;
    /** More than is produced until the broker is switched off and on. */
    private static final int SWITCHED = 150_000;
    /** More than a test waits for. */
    private static final int ENDLESS = 5_000_000;

    /** A drain that must time out. */
    private static final int SHORT_DRAIN_MS = 3_000;

    private static final int DRAIN_MS = 20_000;
    /** The time after the drain that docs/operations.md guarantees. */
    private static final int STOP_MS = 5_000;

    private static final Duration PATIENCE = Patience.ofSeconds(60);

    private BrokerProcess broker;

    @BeforeAll
    void start() {
        broker = BrokerProcess.builder(BrokerLine.NEWEST).withAgent().start();
    }

    @AfterAll
    void stop() {
        broker.close();
    }

    private ProxyProcess.Builder proxy() {
        return ProxyProcess.builder(broker).property("drain.timeout.ms", Integer.toString(DRAIN_MS));
    }

    private RecordStream load(String name, ProxyProcess proxy, int records) throws IOException {
        RecordStream stream = new RecordStream(broker.bootstrapServers(), name, new Random(Seed.ofRun()));
        stream.consume(proxy.bootstrapServers());
        stream.produce(proxy.bootstrapServers(), records);
        stream.produce(proxy.bootstrapServers(), records);
        return stream;
    }

    /** A JVM that inherits an ignored SIGHUP, as below nohup, goes on ignoring it. */
    private static boolean ignoresHangup(ProxyProcess proxy) throws IOException {
        return Files.readAllLines(Path.of("/proc", Long.toString(proxy.pid()), "status")).stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .anyMatch(line -> line.matches(".*[13579bdf]"));
    }

    /** SIGHUP: RDMA follows, and another key is named as one that needs a restart. */
    private static void changeTheFile(ProxyProcess proxy) throws IOException {
        Path file = proxy.log().resolveSibling("proxy.properties");
        String before = Files.readString(file);
        Files.writeString(file, before + "\nrdma.enabled=false\nmax.connections=77\n");
        Signals.hup(proxy.pid());
        await().atMost(PATIENCE).until(() -> proxy.get("/rdma").equals("disabled\n"));
        await().atMost(PATIENCE)
                .until(() -> Files.readString(proxy.log()).contains("these keys need a restart: [max.connections]"));
        Files.writeString(file, before + "\nrdma.enable=true\n");
        Signals.hup(proxy.pid());
        await().atMost(PATIENCE)
                .until(() -> Files.readString(proxy.log()).contains("the configuration stays as it was"));
        Files.writeString(file, before);
        Signals.hup(proxy.pid());
        await().atMost(PATIENCE).until(() -> proxy.get("/rdma").equals("enabled\n"));
    }

    @Test
    void shouldSwitchAndHandOverUnderLoadWithoutLoss() throws Exception {
        try (ProxyProcess first = proxy().start();
                RecordStream stream = load("handed-over", first, RECORDS);
                GroupReader group = new GroupReader(first.bootstrapServers(), stream.topic())) {
            awaitMore(first, "RDMA before", now -> now.rdmaProduced() > 0 && now.rdmaFetched() > 0);

            Signals.usr1(first.pid());
            await().atMost(PATIENCE).until(() -> first.get("/rdma").equals("disabled\n"));
            // A large Fetch that was under way ends first.
            awaitMore(first, "TCP", more -> more.tcpProduced() > 100 && more.tcpFetched() > 100);
            PathCounts off = awaitMore(first, "TCP", more -> more.tcpProduced() > 500 && more.tcpFetched() > 500);
            assertThat(off.rdmaShare())
                    .as("RDMA share while RDMA is off: %s", off)
                    .isLessThan(0.5);
            Signals.usr1(first.pid());
            await().atMost(PATIENCE).until(() -> first.get("/rdma").equals("enabled\n"));
            PathCounts on = awaitMore(first, "RDMA", more -> more.rdmaProduced() > 2_000 && more.rdmaFetched() > 2_000);
            assertThat(on.rdmaShare())
                    .as("RDMA share after RDMA is on again: %s", on)
                    .isGreaterThan(0.5);
            System.out.println("switched by signal: off " + off + ", on " + on);
            if (!ignoresHangup(first)) {
                changeTheFile(first);
            }
            assertThat(stream.isProduced())
                    .as("the producers finished before SIGTERM")
                    .isFalse();

            long startNs = System.nanoTime();
            int status = first.terminate(Patience.ofSeconds(30));
            System.out.println("drained under load in " + millisSince(startNs) + " ms");
            assertThat(status).as("exit status, %s", first.logTail()).isZero();
            assertThat(Files.readString(first.log())).contains("all clients have finished");
            assertThat(stream.isProduced())
                    .as("the producers finished before the proxy stopped")
                    .isFalse();

            try (ProxyProcess second = proxy().port(first.port()).start()) {
                stream.verify();
                await().atMost(PATIENCE).until(() -> group.offsets().size() >= 2 * RECORDS);
                assertThat(group.failure()).isNull();
                assertThat(group.offsets())
                        .as("offsets that the group read")
                        .isEqualTo(LongStream.range(0, 2 * RECORDS).boxed().toList());
                PathCounts after = PathCounts.in(second.metrics());
                System.out.println("after the handover: " + after);
                assertThat(after.rdmaShare())
                        .as("RDMA share through the second proxy: %s", after)
                        .isGreaterThan(0.8);
            }
        }
    }

    /** A producer that sends each record once must not see it either. */
    @Test
    void shouldSwitchTheBrokerUnderLoadWithoutAFailedSend() throws Exception {
        try (ProxyProcess proxy = proxy().start();
                Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
                RecordStream stream = load("switched-at-broker", proxy, SWITCHED)) {
            stream.produce(StreamProducer.Kind.ACKS_1, proxy.bootstrapServers(), SWITCHED);
            awaitMore(proxy, "RDMA", more -> more.rdmaProduced() > 1_000 && more.rdmaFetched() > 1_000);
            PathCounts off;
            Alteration.ofBroker(admin, "", "slipstream.enabled", "false");
            try {
                await("links down").atMost(PATIENCE).until(() -> proxy.metrics().count("slipstream_links_up") == 0);
                awaitMore(proxy, "TCP", more -> more.tcpProduced() > 1_000 && more.tcpFetched() > 1_000);
                off = awaitMore(proxy, "TCP", more -> more.tcpProduced() > 500);
            } finally {
                Alteration.ofBroker(admin, "", "slipstream.enabled", "true");
            }
            assertThat(off.rdmaProduced() + off.rdmaFetched()).as("%s", off).isZero();
            // The load goes on until then, however long the link takes on a busy machine.
            PathCounts on = awaitMore(proxy, "RDMA", more -> {
                if (stream.isProduced()) {
                    stream.produce(proxy.bootstrapServers(), SWITCHED / 10);
                }
                return more.rdmaProduced() > 1_000 && more.rdmaFetched() > 1_000;
            });
            System.out.println("switched by the broker's key: off " + off + ", on " + on);
            stream.verify();
        }
    }

    /** Clients that were refused while their listener was excluded bind again. */
    @Test
    void shouldSwitchAListenerUnderLoad() throws Exception {
        try (ProxyProcess proxy = proxy().start();
                Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()));
                RecordStream stream = load("switched-listener", proxy, ENDLESS)) {
            awaitMore(proxy, "RDMA", more -> more.rdmaProduced() > 1_000 && more.rdmaFetched() > 1_000);
            Alteration.ofBroker(admin, "", "slipstream.listeners.excluded", "*");
            try {
                // Until then, a client that is not bound yet may go by TCP as well.
                await("a refused client")
                        .atMost(PATIENCE)
                        .until(() -> proxy.metrics().count("slipstream_fallbacks_total", "reason", "rdma_off") > 0);
                awaitMore(proxy, "TCP", more -> more.tcpProduced() > 1_000 && more.tcpFetched() > 1_000);
            } finally {
                Alteration.ofBroker(admin, "", "slipstream.listeners.excluded", "");
            }
            awaitMore(proxy, "RDMA", more -> more.rdmaProduced() > 1_000 && more.rdmaFetched() > 1_000);
            stream.failFast();
        }
    }

    @Test
    void shouldStopInTimeAlthoughTheBrokerHangs() throws Exception {
        try (ProxyProcess first = proxy().property("drain.timeout.ms", Integer.toString(SHORT_DRAIN_MS))
                        .start();
                RecordStream stream = load("hung", first, RECORDS / 2)) {
            awaitMore(first, "RDMA before", now -> now.rdmaProduced() > 0 && now.rdmaFetched() > 0);
            Signals.stop(broker.pid());
            try {
                // With nothing that waits for the broker, all clients would finish at once.
                await().until(() -> first.metrics().sum("slipstream_ring_bytes_in_use") > 0);
                long startNs = System.nanoTime();
                int status = first.terminate(Duration.ofMillis(SHORT_DRAIN_MS + STOP_MS + Patience.ms(3_000)));
                long tookMs = millisSince(startNs);
                System.out.println("stopped in " + tookMs + " ms while the broker hangs");
                assertThat(status).as("exit status, %s", first.logTail()).isEqualTo(3);
                assertThat(tookMs).as("the drain lasts until its deadline").isGreaterThanOrEqualTo(SHORT_DRAIN_MS);
                assertThat(Files.readString(first.log())).contains("requests in flight are disconnected");
            } finally {
                Signals.resume(broker.pid());
            }
            try (ProxyProcess second = proxy().port(first.port()).start()) {
                stream.verify();
                assertThat(PathCounts.in(second.metrics()).rdmaShare()).isGreaterThan(0.8);
            }
        }
    }

    @Test
    void shouldStopAtOnceWithoutClientsAfterTopWatchedIt() throws Exception {
        ProxyProcess proxy = proxy().property("drain.timeout.ms", "60000").start();
        try (proxy) {
            try (RecordStream stream = load("watched", proxy, ENDLESS)) {
                awaitMore(proxy, "RDMA", now -> now.rdmaProduced() > 0 && now.rdmaFetched() > 0);
                JsonNode view = new ObjectMapper()
                        .readTree(top(proxy, List.of(), "--once", "--json", "--interval", "0.5")
                                .output());
                assertThat(view.get("linksUp").asInt()).isPositive();
                assertThat(view.get("produced").get("total").asDouble()).isGreaterThan(0.5);
                assertThat(view.get("clients").toString()).contains("\"producer-0\"", "\"consumer-0\"");
                assertThat(view.get("partitions").toString()).contains("\"" + stream.topic() + "-0\"");

                TopRun run = top(proxy, List.of("s", "q"), "--interval", "0.3");
                assertThat(run.status()).as(run.output()).isZero();
                assertThat(run.output())
                        .contains("\u001b[?1049h", "sort: requests", "sort: bytes", "producer-0", "LATENCY")
                        .contains(stream.topic() + "-0");
                assertThat(run.output().strip()).endsWith("\u001b[?1049l");
            }
            assertThat(top(proxy, null, "--url", "http://127.0.0.1:" + 1).status())
                    .isOne();
            await().atMost(PATIENCE)
                    .until(() -> proxy.metrics().count("slipstream_connections", "side", "client") == 0);
            long startNs = System.nanoTime();
            assertThat(proxy.terminate(Patience.ofSeconds(30))).isZero();
            assertThat(millisSince(startNs)).isLessThan(30_000);
        }
    }

    private record TopRun(int status, String output) {}

    /** @param keys keys pressed in turn in a separate terminal; null for no terminal */
    private static TopRun top(ProxyProcess proxy, List<String> keys, String... options) throws Exception {
        boolean inTerminal = keys != null && !keys.isEmpty();
        List<String> command = new ArrayList<>(List.of(
                ChildProcess.java(),
                "-XX:TieredStopAtLevel=1",
                "-jar",
                Checkout.root().resolve("cli/target/slipstream-cli.jar").toString(),
                "top",
                "--url",
                proxy.managementUrl()));
        if (keys == null) {
            command.subList(command.size() - 2, command.size()).clear();
        }
        command.addAll(List.of(options));
        ProcessBuilder builder = inTerminal
                ? new ProcessBuilder("script", "-qfec", String.join(" ", command), "/dev/null")
                : new ProcessBuilder(command);
        builder.environment().put("COLUMNS", "150");
        builder.environment().put("LINES", "60");
        Process process = builder.redirectErrorStream(true).start();
        @SuppressWarnings("JdkObsolete") // Two threads share it.
        StringBuffer output = new StringBuffer();
        Thread reader = new Thread(() -> read(process, output));
        reader.start();
        for (String key : inTerminal ? keys : List.<String>of()) {
            int seen = output.length();
            await().atMost(PATIENCE).until(() -> output.indexOf("LATENCY", seen) >= 0);
            process.getOutputStream().write(key.getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        }
        boolean ended = process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        if (!ended) {
            // This also closes the output, whose end the reader may not have read.
            process.destroyForcibly();
        }
        reader.join();
        return new TopRun(ended ? process.exitValue() : -1, output.toString());
    }

    private static void read(Process process, StringBuffer output) {
        try {
            byte[] bytes = new byte[8192];
            for (int count = process.getInputStream().read(bytes);
                    count >= 0;
                    count = process.getInputStream().read(bytes)) {
                output.append(new String(bytes, 0, count, StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            // The process has ended.
        }
    }

    /** Returns the increase from now on, once it meets the condition. */
    private static PathCounts awaitMore(ProxyProcess proxy, String what, Predicate<PathCounts> wanted) {
        PathCounts before = PathCounts.in(proxy.metrics());
        PathCounts[] more = new PathCounts[1];
        try {
            await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> {
                more[0] = PathCounts.in(proxy.metrics()).since(before);
                return wanted.test(more[0]);
            });
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(
                    "not enough by " + what + ": " + more[0] + "; fallbacks " + Faults.fallbacks(proxy)
                            + proxy.logTail(),
                    e);
        }
        return more[0];
    }

    private static long millisSince(long startNs) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
    }
}
