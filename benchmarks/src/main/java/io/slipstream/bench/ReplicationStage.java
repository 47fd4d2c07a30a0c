// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.profile.Profiler;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.BrokerCluster;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.JvmProfile;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;

/**
 * Five stock brokers with the plugin and two proxies. The first broker leads all topics. Two others follow over TCP,
 * and two by RDMA, so that both are measured in turn at one leader. The last two are there only if they are measured.
 */
final class ReplicationStage implements Stage, AutoCloseable {
    private static final int CONTROLLERS = 3;
    private static final int LEADER = 1;
    private static final List<Integer> BY_TCP = List.of(LEADER, 2, 3);
    private static final List<Integer> BY_RDMA = List.of(LEADER, 4, 5);

    private final Set<Way> ways;
    private final boolean isProfiled;
    private final BrokerCluster cluster;
    private final Map<Way, ProxyProcess> proxies = new EnumMap<>(Way.class);
    private final Map<Way, TopicRef> byTcp = new EnumMap<>(Way.class);
    private final Map<Way, TopicRef> byRdma = new EnumMap<>(Way.class);
    private final List<ProcessUse.Meter> brokerMeters = new ArrayList<>();
    private final Map<Way, ProcessUse.Meter> proxyMeters = new EnumMap<>(Way.class);

    private ReplicationStage(BenchOptions options, List<Workload> workloads) {
        ways = options.judgedWays();
        isProfiled = options.profile() != null;
        AtomicInteger nodeId = new AtomicInteger();
        int brokers = workloads.contains(Workload.PRODUCE_RF3_RDMA) ? 5 : 3;
        cluster = BrokerCluster.start(options.brokerLine(), brokers, CONTROLLERS, builder -> {
            builder.profile(JvmProfile.PRODUCTION);
            builder.property("slipstream.replication", BY_RDMA.contains(nodeId.incrementAndGet()) ? "auto" : "off");
            if (isProfiled) {
                Profiler.JVM_ARGUMENTS.forEach(builder::jvmArgument);
            }
            return options.isVerbs() ? builder.withVerbs() : builder.withAgent();
        });
    }

    static ReplicationStage start(BenchOptions options, List<Workload> workloads) throws IOException {
        ReplicationStage stage = new ReplicationStage(options, workloads);
        try {
            stage.startProxies();
            stage.createTopics();
            stage.startMeters();
            return stage;
        } catch (IOException | RuntimeException failure) {
            stage.close();
            throw failure;
        }
    }

    private void startProxies() {
        if (ways.contains(Way.PROXY_TCP)) {
            proxies.put(Way.PROXY_TCP, proxy().withoutRdma().start());
        }
        if (ways.contains(Way.PROXY_RDMA)) {
            proxies.put(Way.PROXY_RDMA, proxy().start());
        }
    }

    private ProxyProcess.Builder proxy() {
        // All brokers share the plugin directory, but not the control ports.
        ProxyProcess.Builder builder =
                ProxyProcess.builder(cluster.brokers().get(0)).profile(JvmProfile.SIDECAR);
        if (isProfiled) {
            Profiler.JVM_ARGUMENTS.forEach(builder::jvmArgument);
        }
        if (cluster.brokers().get(0).controlPort() != 0) {
            builder.property(
                    ProxyProcess.CONTROL_PORTS,
                    cluster.brokers().stream()
                            .map(broker -> broker.nodeId() + ":" + broker.controlPort())
                            .collect(Collectors.joining(",")));
        }
        return builder;
    }

    private void createTopics() throws IOException {
        try (RawTopics creator = new RawTopics(leader().bootstrapServers())) {
            for (Way way : ways) {
                byTcp.put(way, create(creator, way, BY_TCP));
                if (cluster.brokers().size() > BY_TCP.size()) {
                    byRdma.put(way, create(creator, way, BY_RDMA));
                }
            }
        }
    }

    private static TopicRef create(RawTopics creator, Way way, List<Integer> replicas) throws IOException {
        String name = ("replicated-" + way.name()).toLowerCase(Locale.ROOT);
        return creator.createOn(name, replicas, "min.insync.replicas", "2", "retention.ms", "-1");
    }

    private void startMeters() throws IOException {
        for (BrokerProcess broker : cluster.brokers()) {
            brokerMeters.add(new ProcessUse.Meter(broker.pid(), AllocationMeter.BROKER_THREADS));
        }
        for (var proxy : proxies.entrySet()) {
            proxyMeters.put(
                    proxy.getKey(), new ProcessUse.Meter(proxy.getValue().pid(), AllocationMeter.PROXY_THREADS));
        }
    }

    private BrokerProcess leader() {
        return cluster.brokers().get(0);
    }

    /** Only the leader among the brokers: followers do the same on each way. */
    @Override
    public Map<String, Long> processes(Way way) {
        ProxyProcess proxy = proxies.get(way);
        return proxy == null
                ? Map.of("leader", leader().pid())
                : Map.of("leader", leader().pid(), "proxy", proxy.pid());
    }

    String brokerPids() {
        return cluster.brokers().stream()
                .map(broker -> Long.toString(broker.pid()))
                .collect(Collectors.joining(", "));
    }

    @Override
    public Set<Way> ways() {
        return EnumSet.copyOf(ways);
    }

    @Override
    public Exchange open(Way way, Workload workload) throws IOException {
        String bootstrap = way == Way.DIRECT
                ? leader().bootstrapServers()
                : proxies.get(way).bootstrapServers();
        MetadataResponseBroker node = RawTopics.brokers(bootstrap).get(LEADER);
        TopicRef topic = (workload == Workload.PRODUCE_RF3_RDMA ? byRdma : byTcp).get(way);
        KafkaExchange exchange = KafkaExchange.open(workload, node.host() + ':' + node.port(), topic);
        exchange.checkedAnswerBytes(workload);
        return exchange;
    }

    @Override
    public ProcessUse brokerUse() {
        ProcessUse sum = ProcessUse.NONE;
        for (ProcessUse.Meter meter : brokerMeters) {
            sum = sum.plus(meter.read());
        }
        return sum;
    }

    @Override
    public ProcessUse proxyUse(Way way) {
        ProcessUse.Meter meter = proxyMeters.get(way);
        return meter == null ? ProcessUse.NONE : meter.read();
    }

    @Override
    public long requestsByRdma(Way way) {
        ProxyProcess proxy = proxies.get(way);
        return proxy == null ? 0 : proxy.metrics().count("slipstream_requests_total", "path", "rdma");
    }

    @Override
    public void close() throws IOException {
        try {
            for (ProcessUse.Meter meter : brokerMeters) {
                meter.close();
            }
            for (ProcessUse.Meter meter : proxyMeters.values()) {
                meter.close();
            }
        } finally {
            proxies.values().forEach(ProxyProcess::close);
            cluster.close();
        }
    }
}
