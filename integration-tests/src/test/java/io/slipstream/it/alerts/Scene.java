// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.alerts;

import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.planted.PlantingJar;
import io.slipstream.process.BrokerCluster;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Ports;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * Brokers and proxies with faults for every alert, and a healthy pair.
 *
 * <p>The faulty cluster has two brokers. The first has the plugin with low limits and a harmless planted bug: a
 * failing hook. The second's plugin is inert because it is configured with a missing device.
 */
final class Scene implements AutoCloseable {
    static final String FAST = "fast";
    static final String PLAIN = "plain";
    static final int PARTITIONS = 8;
    static final int FEW_CONNECTIONS = 40;
    static final int LARGE_TOPIC_BYTES = 8_000_000;
    private static final int LARGE_RECORDS = 100;
    private static final String FEW_OUTBOUND_BYTES = "67108864";
    private static final String SEGMENT_BYTES = "1048576";
    /** Enough for four segments, a page each, which are more than nine tenths of it. */
    private static final String FEW_REGISTERED_BYTES = "17600";

    private static final String METRICS_ADDRESS = "slipstream.metrics.address";
    private static final String SECRET = "correct horse battery staple";

    final FakeBroker fakeBroker = new FakeBroker();
    final OtherBuild otherBuild = new OtherBuild();
    final BrokerProcess quietBroker;
    final BrokerProcess first;
    final BrokerProcess second;
    final List<ProxyProcess> proxies = new ArrayList<>();
    final ProxyProcess quiet;
    /** A proxy of both brokers. */
    final ProxyProcess main;
    /** Its consumers read more than the first broker may register, and fetch more than it may hold. */
    final ProxyProcess greedy;
    /** Writes more requests than it has credits for. */
    final ProxyProcess loose;
    /** Has another secret than the first broker, and a connection limit. */
    final ProxyProcess stranger;
    /** Connects to a fake broker. */
    final ProxyProcess misled;
    /** The port of its broker belongs to {@link #quiet}. */
    final ProxyProcess overlapping;

    private final BrokerCluster troubled;
    private final int[] metricsPorts = {Ports.free(), Ports.free(), Ports.free()};

    Scene() throws Exception {
        int controlPort = Ports.free();
        CompletableFuture<BrokerProcess> quietStart =
                CompletableFuture.supplyAsync(() -> BrokerProcess.builder(BrokerLine.NEWEST)
                        .withAgent()
                        .property(METRICS_ADDRESS, "127.0.0.1:" + metricsPorts[0])
                        .start());
        List<BrokerProcess.Builder> seen = new ArrayList<>();
        troubled = BrokerCluster.start(BrokerLine.NEWEST, 2, 1, builder -> {
            seen.add(builder);
            builder.withAgent().property(METRICS_ADDRESS, "127.0.0.1:" + metricsPorts[seen.size()]);
            return seen.size() == 1
                    ? withLowLimits(builder, controlPort)
                    : builder.property("slipstream.provider", "verbs");
        });
        first = troubled.brokers().get(0);
        second = troubled.brokers().get(1);
        quietBroker = quietStart.join();
        createTopics();
        String sockets = first.slipstreamDirectory().toString();
        CompletableFuture<ProxyProcess> starting = CompletableFuture.supplyAsync(
                () -> ProxyProcess.builder(quietBroker).start());
        main = keep(of(sockets).property("event.loops", "1").start());
        greedy = keep(of(sockets)
                .property("event.loops", "1")
                .property("max.outbound.bytes", FEW_OUTBOUND_BYTES)
                .start());
        loose = keep(of(sockets)
                .property("event.loops", "1")
                .jvmArgument(PlantingJar.jvmArgument("too-many-credits"))
                .start());
        stranger = keep(of(sockets + "-elsewhere")
                .property("event.loops", "1")
                .property("max.connections", Integer.toString(FEW_CONNECTIONS))
                .property(ProxyProcess.CONTROL_PORTS, "1:" + controlPort)
                .property("rdma.control.secret", "another secret of enough characters")
                .start());
        misled = keep(ProxyProcess.builder("127.0.0.1:" + fakeBroker.port())
                .withoutAwaitingService()
                .start());
        quiet = keep(starting.join());
        overlapping = keep(ProxyProcess.builder(quietBroker)
                .property("broker.port.base", Integer.toString(quiet.port() - quietBroker.nodeId()))
                .withoutAwaitingService()
                .start());
    }

    private static BrokerProcess.Builder withLowLimits(BrokerProcess.Builder builder, int controlPort) {
        return builder.property("slipstream.ring.credits", "8")
                .property("slipstream.registered.bytes", FEW_REGISTERED_BYTES)
                .property("slipstream.control.address", "127.0.0.1:" + controlPort)
                .property("slipstream.control.secret", SECRET)
                .jvmArgument(PlantingJar.jvmArgument("failing-hook"));
    }

    private ProxyProcess.Builder of(String sockets) {
        return ProxyProcess.builder(troubled.bootstrapServers()).property(ProxyProcess.SLIPSTREAM_DIRECTORY, sockets);
    }

    private ProxyProcess keep(ProxyProcess proxy) {
        proxies.add(proxy);
        return proxy;
    }

    /** The first broker leads {@link #FAST}, the second {@link #PLAIN}. */
    private void createTopics() throws Exception {
        create(quietBroker.bootstrapServers(), new NewTopic(FAST, 1, (short) 1));
        Map<Integer, List<Integer>> onFirst = new java.util.TreeMap<>();
        for (int i = 0; i < PARTITIONS; i++) {
            onFirst.put(i, List.of(1));
        }
        create(
                troubled.bootstrapServers(),
                new NewTopic(FAST, onFirst).configs(Map.of("segment.bytes", SEGMENT_BYTES)),
                new NewTopic(PLAIN, Map.of(0, List.of(2))));
    }

    private static void create(String bootstrap, NewTopic... topics) throws Exception {
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap))) {
            admin.createTopics(List.of(topics)).all().get(30, TimeUnit.SECONDS);
        }
    }

    /** Writes {@link #LARGE_TOPIC_BYTES} to a new topic on the second broker. */
    TopicRef writeLargeTopic() throws IOException {
        try (RawTopics topics = new RawTopics(second.bootstrapServers());
                RawClient client = RawClient.connect(second.bootstrapServers())) {
            TopicRef topic = topics.createOn("large", List.of(second.nodeId()));
            for (int i = 0; i < LARGE_RECORDS; i++) {
                client.send(ProduceRequests.version(ProduceRequests.NEWEST, -1)
                        .add(topic, 0, Batches.of(new byte[LARGE_TOPIC_BYTES / LARGE_RECORDS]))
                        .frame());
                client.receive();
            }
            return topic;
        }
    }

    Map<String, List<String>> targets() {
        List<String> ofProxies = new ArrayList<>();
        proxies.forEach(proxy -> ofProxies.add(target(proxy)));
        ofProxies.add(otherBuild.target());
        List<String> ofPlugins = new ArrayList<>();
        for (int port : metricsPorts) {
            ofPlugins.add("127.0.0.1:" + port);
        }
        return Map.of("slipstream-proxy", ofProxies, "slipstream-plugin", ofPlugins);
    }

    /** Returns the instances that must not raise alerts. */
    List<String> healthyTargets() {
        return List.of(target(quiet), "127.0.0.1:" + metricsPorts[0]);
    }

    private static String target(ProxyProcess proxy) {
        return proxy.managementUrl().substring("http://".length());
    }

    @Override
    public void close() {
        signal(first.pid(), "CONT");
        proxies.parallelStream().forEach(ProxyProcess::close);
        troubled.close();
        quietBroker.close();
        fakeBroker.close();
        otherBuild.close();
    }

    static void signal(long pid, String signal) {
        try {
            new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).start().waitFor(10, TimeUnit.SECONDS);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
