package io.slipstream.bench;

import io.slipstream.harness.BrokerLine;
import io.slipstream.harness.BrokerProcess;
import io.slipstream.harness.JvmProfile;
import io.slipstream.harness.MetricSamples;
import io.slipstream.harness.PluginCounts;
import io.slipstream.harness.ProxyProcess;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;

/**
 * A stock broker with the plugin, two proxies before it (RDMA off and on), an echo server, and a topic for each workload and way. All run for the
 * whole benchmark; the ones that are not being measured idle.
 */
final class BenchStage implements AutoCloseable {
    /** What is produced is thrown away at this size, so that rounds find the same disk and page cache. */
    private static final String[] PRODUCED = {
        "retention.bytes",
        Integer.toString(512 << 20),
        "segment.bytes",
        Integer.toString(128 << 20),
        "file.delete.delay.ms",
        "1000",
        "retention.ms",
        "-1"
    };

    /** In a log whose batches are fetched one by one, before the cursor starts over. */
    private static final int MOVING_BATCHES = 4_096;

    private final Set<Way> ways;
    private final Set<Workload> workloads;
    private final BrokerProcess broker;
    private final Map<Way, ProxyProcess> proxies = new EnumMap<>(Way.class);
    private final Map<Workload, EchoFloor> echoes = new EnumMap<>(Workload.class);
    private final Map<Workload, Map<Way, TopicRef>> topics = new EnumMap<>(Workload.class);
    private final Map<Workload, FilledLog> logs = new EnumMap<>(Workload.class);

    /** Null if nothing is to be placed. */
    private PluginCounts placed;

    private ProcessUse.Meter brokerMeter;
    private final Map<Way, ProcessUse.Meter> proxyMeters = new EnumMap<>(Way.class);

    private BenchStage(Set<Way> ways, Set<Workload> workloads, BrokerLine line, String landing) {
        this.ways = ways;
        this.workloads = workloads;
        BrokerProcess.Builder builder = BrokerProcess.builder(line).profile(JvmProfile.PRODUCTION);
        if (landing == null) {
            builder.property("log.retention.check.interval.ms", "2000");
        } else {
            // Retention stays at Kafka's five minutes: each check has batches placed elsewhere for a while.
            builder.property("slipstream.landing", landing);
        }
        broker = (ways.stream().anyMatch(Way::isRdma) ? builder.withAgent() : builder).start();
    }

    /**
     * @param landing value of {@code slipstream.landing}; null for the broker's default
     * @param scanBytes of the log that is scanned
     */
    static BenchStage start(Set<Way> ways, Set<Workload> workloads, BrokerLine line, String landing, long scanBytes)
            throws IOException {
        BenchStage stage = new BenchStage(ways, workloads, line, landing);
        try {
            stage.startProxies();
            stage.startMeters();
            stage.createTopics();
            stage.fillLogs(scanBytes);
            stage.startEchoes();
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
            ProxyProcess.Builder ring = proxy();
            if (ways.contains(Way.PROXY_PLACED)) {
                ring.property("rdma.landing.after.requests", "1000000");
            }
            proxies.put(Way.PROXY_RDMA, ring.start());
        }
        if (ways.contains(Way.PROXY_PLACED)) {
            proxies.put(Way.PROXY_PLACED, proxy().start());
            placed = PluginCounts.of(broker);
        }
    }

    private void startMeters() throws IOException {
        brokerMeter = new ProcessUse.Meter(broker.pid(), AllocationMeter.BROKER_THREADS);
        for (var proxy : proxies.entrySet()) {
            proxyMeters.put(
                    proxy.getKey(), new ProcessUse.Meter(proxy.getValue().pid(), AllocationMeter.PROXY_THREADS));
        }
    }

    private ProxyProcess.Builder proxy() {
        return ProxyProcess.builder(broker).profile(JvmProfile.SIDECAR);
    }

    private void createTopics() throws IOException {
        try (RawTopics creator = new RawTopics(broker.bootstrapServers());
                RawClient client = RawClient.connect(broker.bootstrapServers())) {
            for (Workload workload : workloads) {
                if (workload.isFollowed()) {
                    continue;
                }
                Map<Way, TopicRef> byWay = new EnumMap<>(Way.class);
                for (Way way : ways) {
                    String name = (workload.name() + '-' + way.name()).toLowerCase(Locale.ROOT);
                    TopicRef topic = creator.create(name, 1, PRODUCED);
                    if (workload == Workload.FETCH) {
                        KafkaExchange.fill(client, topic);
                    }
                    byWay.put(way, topic);
                }
                topics.put(workload, byWay);
            }
        }
    }

    /** One log for all ways: reading changes nothing in it. */
    private void fillLogs(long scanBytes) throws IOException {
        try (RawTopics creator = new RawTopics(broker.bootstrapServers());
                RawClient client = RawClient.connect(broker.bootstrapServers())) {
            for (Workload workload : workloads) {
                if (workload.kind() == Workload.Kind.SCAN && logs.containsKey(Workload.SCAN)) {
                    logs.put(workload, logs.get(Workload.SCAN));
                } else if (workload.isFollowed()) {
                    logs.put(workload, log(creator, client, workload, scanBytes));
                }
            }
        }
    }

    private static FilledLog log(RawTopics creator, RawClient client, Workload workload, long scanBytes)
            throws IOException {
        String name = workload.name().toLowerCase(Locale.ROOT);
        int value = workload.valueBytes();
        return switch (workload.kind()) {
            case SCAN -> FilledLog.create(creator, client, name, scanBytes, value, 2 * value, 4 * value);
            case ONE_BATCH -> FilledLog.create(creator, client, name, (long) MOVING_BATCHES * value, value);
            default -> FilledLog.empty(creator.create(name, 1));
        };
    }

    /** Each echo answers with as many bytes as the broker does. */
    private void startEchoes() throws IOException {
        if (!ways.contains(Way.ECHO)) {
            return;
        }
        for (Workload workload : workloads) {
            try (Exchange direct = open(Way.DIRECT, workload)) {
                echoes.put(
                        workload,
                        direct instanceof FetchExchange fetches
                                ? EchoFloor.start(fetches.answerFrame())
                                : EchoFloor.start(((KafkaExchange) direct).checkedAnswerBytes(workload)));
            }
        }
    }

    Set<Way> ways() {
        return EnumSet.copyOf(ways);
    }

    /** Fresh connections on that way, whose answers are what they should be. */
    Exchange open(Way way, Workload workload) throws IOException {
        String address = address(way, workload);
        if (workload.isFollowed()) {
            int colon = address.lastIndexOf(':');
            InetSocketAddress peer =
                    new InetSocketAddress(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
            return FetchExchange.open(workload, peer, logs.get(workload), way != Way.ECHO);
        }
        KafkaExchange exchange =
                KafkaExchange.open(workload, address, topics.get(workload).get(way));
        if (way != Way.ECHO) {
            exchange.checkedAnswerBytes(workload);
        }
        return exchange;
    }

    private String address(Way way, Workload workload) throws IOException {
        if (way == Way.ECHO) {
            return echoes.get(workload).address();
        }
        String bootstrap =
                way == Way.DIRECT ? broker.bootstrapServers() : proxies.get(way).bootstrapServers();
        MetadataResponseBroker node = RawTopics.onlyBroker(bootstrap);
        return node.host() + ':' + node.port();
    }

    /** Requests that went as the way's name says so far: answered by RDMA, or found in the segment by the broker. */
    long requestsByRdma(Way way) {
        if (way == Way.PROXY_PLACED) {
            return placed.get("BATCHES_COMMITTED_IN_PLACE");
        }
        ProxyProcess proxy = proxies.get(way);
        if (proxy == null) {
            return 0;
        }
        MetricSamples metrics = proxy.metrics();
        return metrics.count("slipstream_requests_total", "path", "rdma");
    }

    ProcessUse brokerUse() {
        return brokerMeter.read();
    }

    ProcessUse proxyUse(Way way) {
        ProcessUse.Meter meter = proxyMeters.get(way);
        return meter == null ? ProcessUse.NONE : meter.read();
    }

    long brokerPid() {
        return broker.pid();
    }

    long proxyPid(Way way) {
        return proxies.get(way).pid();
    }

    @Override
    public void close() throws IOException {
        try {
            if (brokerMeter != null) {
                brokerMeter.close();
            }
            for (ProcessUse.Meter meter : proxyMeters.values()) {
                meter.close();
            }
        } finally {
            if (placed != null) {
                placed.close();
            }
            echoes.values().forEach(EchoFloor::close);
            proxies.values().forEach(ProxyProcess::close);
            broker.close();
        }
    }
}
