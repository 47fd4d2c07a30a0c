// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.alerts;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.faults.ProcessLimits;
import io.slipstream.faults.schedule.Fault.Resource;
import io.slipstream.harness.raw.FetchRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.it.Tool;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every shipped alert fires in a real Prometheus when its cause is present, and none fires for a healthy proxy and
 * broker. The test shortens windows and durations of the shipped expressions, which would otherwise take days.
 */
@Tag("thorough")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class AlertsIT {
    private static final String WINDOW = "20s";
    private static final String LONG_WINDOW = "1m";
    private static final String DURATION = "1s";
    private static final Duration PATIENCE = Patience.ofSeconds(60);
    private static final int STOP_MS = 1_600;
    private static final int KNOCKS = 20;
    private static final int SLOW_READERS = 30;
    /** On a busy machine these may fire at any time. */
    private static final Set<String> OF_TIME = Set.of(
            "SlipstreamProxyDown",
            "SlipstreamPluginDown",
            "SlipstreamProduceLatencyHigh",
            "SlipstreamRdmaSlowerThanTcp",
            "SlipstreamFallbacks");

    @TempDir
    private Path temporary;

    private final List<AutoCloseable> open = new ArrayList<>();
    private PrometheusProcess prometheus;

    @Test
    void shouldFireEveryAlertForItsCauseOnly() throws Exception {
        Tool.require("prometheus", "prometheus");
        try (Scene scene = new Scene()) {
            prometheus = PrometheusProcess.start(
                    temporary, scene.targets(), AlertRules.shortened(WINDOW, LONG_WINDOW, DURATION));
            open.add(prometheus);
            loads(scene);
            aSlowBroker(scene);
            unknownPeers(scene);
            exhaustedLimits(scene);
            slowReaders(scene);
            fewDescriptors(scene);
            tooManyConnections(scene);
            rdmaSwitchedOff(scene);
            panelsHaveData();
            stoppedProcesses(scene);
            await(AlertRules.bodies().keySet().toArray(String[]::new));
            Map<String, Set<String>> fired = prometheus.fired();
            fired.forEach((alert, instances) -> assertThat(instances)
                    .as("%s of healthy instances, or with an invalid text", alert)
                    .noneMatch(instance ->
                            !OF_TIME.contains(alert) && scene.healthyTargets().contains(instance))
                    .noneMatch(instance -> instance.contains("template")));
        } finally {
            for (int i = open.size() - 1; i >= 0; i--) {
                open.get(i).close();
            }
        }
    }

    private void await(String... alerts) {
        List<String> missing = new ArrayList<>(List.of(alerts));
        Deadline.after(PATIENCE).await(() -> {
            missing.removeAll(prometheus.fired().keySet());
            return missing.isEmpty();
        });
        assertThat(missing).as("not fired; fired: %s", prometheus.fired()).isEmpty();
    }

    private void awaitGone(String alert) {
        assertThat(Deadline.after(PATIENCE).await(() -> !prometheus.isFiring(alert)))
                .as("%s is resolved", alert)
                .isTrue();
    }

    private Load load() {
        Load load = new Load();
        open.add(load);
        return load;
    }

    /**
     * A link that violates the protocol, a wrong secret, a fake broker, an inert plugin and failing hooks need only
     * running clients.
     */
    private void loads(Scene scene) {
        load().produce(scene.quiet.bootstrapServers(), Scene.FAST, 1, 500, 20)
                .consume(scene.quiet.bootstrapServers(), Scene.FAST, 1, false);
        load().produce(scene.loose.bootstrapServers(), Scene.FAST, Scene.PARTITIONS, 100, 200)
                .produce(scene.loose.bootstrapServers(), Scene.FAST, Scene.PARTITIONS, 100, 200);
        load().produce(scene.stranger.bootstrapServers(), Scene.FAST, 1, 100, 20);
    }

    /** RDMA traffic goes to a repeatedly paused broker, TCP traffic to the other. */
    private void aSlowBroker(Scene scene) throws InterruptedException {
        String bootstrap = scene.main.bootstrapServers();
        try (Load load = new Load()) {
            load.produce(bootstrap, Scene.PLAIN, 1, 100, 20);
            // Not more in flight than credits: a request that times out waiting for a credit takes TCP to the same
            // broker.
            load.produce(bootstrap, Scene.FAST, Scene.PARTITIONS, 100, 10);
            Deadline.after(PATIENCE).await(() -> scene.main.metrics().count("slipstream_links_up") > 0);
            Deadline deadline = Deadline.after(PATIENCE);
            while (!hasFired("SlipstreamProduceLatencyHigh", "SlipstreamRdmaSlowerThanTcp") && !deadline.isOver()) {
                TimeUnit.MILLISECONDS.sleep(STOP_MS);
                Scene.signal(scene.first.pid(), "STOP");
                TimeUnit.MILLISECONDS.sleep(STOP_MS);
                Scene.signal(scene.first.pid(), "CONT");
            }
        }
        await("SlipstreamProduceLatencyHigh", "SlipstreamRdmaSlowerThanTcp");
    }

    private boolean hasFired(String... alerts) {
        return prometheus.fired().keySet().containsAll(List.of(alerts));
    }

    private void unknownPeers(Scene scene) throws IOException {
        for (int i = 0; i < KNOCKS; i++) {
            connect(scene.first.pluginSocket());
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), scene.misled.port())) {
                // ApiVersions, version 0, without a client id.
                client.getOutputStream()
                        .write(ByteBuffer.allocate(14)
                                .putInt(10)
                                .putShort((short) 18)
                                .putShort((short) 0)
                                .putInt(i)
                                .putShort((short) -1)
                                .array());
                client.setSoTimeout(1_000);
                client.getInputStream().read();
            } catch (IOException closed) {
                // Expected.
            }
        }
        await("SlipstreamControlStrangers", "SlipstreamProtocolErrors", "SlipstreamBrokersUnserved");
        scene.fakeBroker.close();
        await("SlipstreamProxyNotReady");
    }

    private static void connect(Path socket) {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            channel.write(ByteBuffer.allocate(8).putInt(-1).flip());
            channel.read(ByteBuffer.allocate(100));
        } catch (IOException closed) {
            // Expected.
        }
    }

    /** Credits and registered bytes. */
    private void exhaustedLimits(Scene scene) {
        String bootstrap = scene.main.bootstrapServers();
        Load load = load();
        for (int i = 0; i < 4; i++) {
            load.produce(bootstrap, Scene.FAST, Scene.PARTITIONS, 20_000, 250);
            load.consume(scene.greedy.bootstrapServers(), Scene.FAST, Scene.PARTITIONS, i > 0);
        }
        load.produce(scene.first.bootstrapServers(), Scene.FAST, Scene.PARTITIONS, 100, 50);
        await(
                "SlipstreamCreditsExhausted",
                "SlipstreamSegmentBytesNearLimit",
                "SlipstreamGrantsRefused",
                "SlipstreamFallbacks",
                "SlipstreamRdmaShareLow",
                "SlipstreamLinksBroken",
                "SlipstreamLinksFailing",
                "SlipstreamTransportErrors",
                "SlipstreamFencesIncomplete");
    }

    /** For a while, a limit of which the first broker's process uses nearly half. */
    private void fewDescriptors(Scene scene) throws IOException {
        long pid = scene.first.pid();
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            Runnable restore = ProcessLimits.limit(Resource.DESCRIPTORS, pid, descriptors.count() * 2 * 100 / 95);
            await("SlipstreamProcessLimitNear");
            restore.run();
        }
    }

    /** Clients of the second broker that do not read their answers, of which the sockets take some MiB each. */
    private void slowReaders(Scene scene) throws IOException {
        TopicRef topic = scene.writeLargeTopic();
        InetSocketAddress second =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), scene.greedy.port() + scene.second.nodeId());
        List<RawClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i < SLOW_READERS; i++) {
                RawClient client = RawClient.connect(second);
                clients.add(client);
                client.send(FetchRequests.version(FetchRequests.NEWEST)
                        .add(topic, 0, 0, Scene.LARGE_TOPIC_BYTES)
                        .frame());
            }
            await("SlipstreamOutboundNearLimit");
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
        awaitGone("SlipstreamOutboundNearLimit");
    }

    private void tooManyConnections(Scene scene) throws IOException {
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < 2 * Scene.FEW_CONNECTIONS; i++) {
                sockets.add(new Socket(InetAddress.getLoopbackAddress(), scene.stranger.port()));
            }
            await("SlipstreamConnectionsNearLimit", "SlipstreamClientsRefused");
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
        awaitGone("SlipstreamConnectionsNearLimit");
    }

    private void rdmaSwitchedOff(Scene scene) {
        scene.main.switchRdma(false);
        await("SlipstreamRdmaSwitchedOff");
        scene.main.switchRdma(true);
        awaitGone("SlipstreamRdmaSwitchedOff");
    }

    /** Panels of rare events are normally empty. */
    private void panelsHaveData() throws IOException {
        List<Dashboard.Query> empty = new ArrayList<>();
        for (String name : Dashboard.NAMES) {
            for (Dashboard.Query query : Dashboard.read(name).queries()) {
                if (!query.isRare()
                        && prometheus.query(query.expression(WINDOW)).isEmpty()) {
                    empty.add(query);
                }
            }
        }
        assertThat(empty).as("panel queries without data").isEmpty();
    }

    private void stoppedProcesses(Scene scene) throws Exception {
        await("SlipstreamNoLinks", "SlipstreamControlAuthenticationFailures", "SlipstreamPluginInert");
        scene.second.kill9();
        Load load = load();
        for (int i = 0; i < 3; i++) {
            load.produce(scene.main.bootstrapServers(), Scene.PLAIN, 1, 100, 20);
        }
        int portOfSecond = scene.main.port() + 2;
        Deadline deadline = Deadline.after(PATIENCE);
        while (!hasFired("SlipstreamClientsDisconnected", "SlipstreamPluginDown") && !deadline.isOver()) {
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), portOfSecond)) {
                client.setSoTimeout(500);
                client.getInputStream().read();
            } catch (IOException closed) {
                // Expected.
            }
            TimeUnit.MILLISECONDS.sleep(200);
        }
        ProxyProcess stranger = scene.stranger;
        for (int i = 0; i < 3; i++) {
            stranger.restart();
            TimeUnit.MILLISECONDS.sleep(2_500);
        }
        await("SlipstreamProxyRestarting");
        stranger.kill9();
        await("SlipstreamProxyDown", "SlipstreamPluginDown", "SlipstreamClientsDisconnected");
        stranger.restart();
        awaitGone("SlipstreamProxyDown");
    }
}
