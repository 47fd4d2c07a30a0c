// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.profile.Profiler;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.harness.PluginCounts;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.BrokerCluster;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.JvmProfile;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;

/**
 * Stock brokers with the plugin, and two proxies. The first broker leads all topics. Two others follow over TCP. If
 * ways need it, two more follow by RDMA, so that both are measured in turn at one leader.
 */
final class ReplicationStage implements Stage, AutoCloseable {
    private static final int CONTROLLERS = 3;
    private static final int LEADER = 1;
    private static final List<Integer> BY_TCP = List.of(LEADER, 2, 3);
    private static final List<Integer> BY_RDMA = List.of(LEADER, 4, 5);

    /** Old segments are deleted, so that all rounds find the same page cache. */
    private static final String[] REPLICATED = {
        "min.insync.replicas", "2", "retention.ms", "-1", "retention.bytes", "268435456", "segment.bytes", "67108864"
    };

    private final Set<Way> ways;
    private final boolean isProfiled;
    private final BrokerCluster cluster;
    private final Map<Way, ProxyProcess> proxies = new EnumMap<>(Way.class);
    /** By workload and way. */
    private final Map<String, Map<Way, TopicRef>> topics = new HashMap<>();

    private final List<ProcessUse.Meter> brokerMeters = new ArrayList<>();
    private final Map<Way, ProcessUse.Meter> proxyMeters = new EnumMap<>(Way.class);

    private ReplicationStage(BenchOptions options, Set<Way> ways) {
        this.ways = ways;
        isProfiled = options.profile() != null;
        AtomicInteger nodeId = new AtomicInteger();
        int brokers = ways.stream().anyMatch(Way::hasRdmaFollowers) ? 5 : 3;
        cluster = BrokerCluster.start(options.brokerLine(), brokers, CONTROLLERS, builder -> {
            builder.profile(JvmProfile.PRODUCTION);
            builder.property("log.retention.check.interval.ms", "2000");
            builder.property("slipstream.replication", BY_RDMA.contains(nodeId.incrementAndGet()) ? "auto" : "off");
            if (isProfiled) {
                Profiler.JVM_ARGUMENTS.forEach(builder::jvmArgument);
            }
            return options.isVerbs() ? builder.withVerbs() : builder.withAgent();
        });
    }

    static ReplicationStage start(BenchOptions options, Set<Way> ways, List<Workload> workloads) throws IOException {
        ReplicationStage stage = new ReplicationStage(options, ways);
        try {
            stage.startProxies();
            stage.createTopics(workloads);
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
        if (ways.stream().anyMatch(Way::isRdma)) {
            ProxyProcess proxy = proxy().start();
            ways.stream().filter(Way::isRdma).forEach(way -> proxies.put(way, proxy));
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

    private void createTopics(List<Workload> workloads) throws IOException {
        try (RawTopics creator = new RawTopics(leader().bootstrapServers())) {
            for (Workload workload : workloads) {
                Map<Way, TopicRef> byWay = new EnumMap<>(Way.class);
                for (Way way : ways) {
                    String name = (workload.name() + '-' + way.name()).toLowerCase(Locale.ROOT);
                    byWay.put(way, creator.createOn(name, way.hasRdmaFollowers() ? BY_RDMA : BY_TCP, REPLICATED));
                }
                topics.put(workload.name(), byWay);
            }
        }
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
        String bootstrap = way.isProxied() ? proxies.get(way).bootstrapServers() : leader().bootstrapServers();
        MetadataResponseBroker node = RawTopics.brokers(bootstrap).get(LEADER);
        TopicRef topic = topics.get(workload.name()).get(way);
        if (workload.kind() == Workload.Kind.END_TO_END) {
            return EndToEndExchange.open(workload, new InetSocketAddress(node.host(), node.port()), topic);
        }
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

    /** Returns why figures of followers by RDMA are invalid, or null. Directly after large answers they use TCP. */
    String followersProblem() {
        for (BrokerProcess broker : cluster.brokers()) {
            if (broker.nodeId() == LEADER || !BY_RDMA.contains(broker.nodeId())) {
                continue;
            }
            try (PluginCounts counts = PluginCounts.of(broker)) {
                long byRdma = counts.gauge("ReplicationFetches,path=rdma");
                long failed = 0;
                for (String reason :
                        PluginMeter.REPLICATION_FALLBACKS.labels().get(0).values()) {
                    failed += counts.gauge("ReplicationFallbacks,reason=" + reason);
                }
                if (failed * 100 > byRdma || byRdma == 0) {
                    return String.format(
                            "broker %d made %d fetches by RDMA, and %d failed", broker.nodeId(), byRdma, failed);
                }
            }
        }
        return null;
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
            proxies.values().stream().distinct().forEach(ProxyProcess::close);
            cluster.close();
        }
    }
}
