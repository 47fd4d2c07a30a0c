// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.profile.Profiler;
import io.slipstream.bench.source.Jars;
import io.slipstream.harness.raw.RawClient;
import io.slipstream.harness.raw.RawTopics;
import io.slipstream.harness.raw.TopicRef;
import io.slipstream.process.BrokerCluster;
import io.slipstream.process.BrokerProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.JvmProfile;
import io.slipstream.process.MetricSamples;
import io.slipstream.process.PathCounts;
import io.slipstream.process.ProxyProcess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;

/**
 * A stock broker with the plugin, two proxies (RDMA off and on), and topics, logs and echo servers for the current
 * workloads. Tools may also have several brokers. Those of the way by RDMA have followers by RDMA, the others are stock
 * brokers. All run as long as the stage; those not being measured idle.
 */
final class BenchStage implements Stage, AutoCloseable {
    /** Retention of produced data, so that all rounds have the same state of disk and page cache. */
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

    /** Allows the largest record of a sweep. */
    private static final String[] SWEPT =
            with(PRODUCED, "max.message.bytes", Integer.toString(FilledLog.MOST_BATCH_BYTES));

    /** The label of a way's proxy among its processes. */
    static final String PROXY = "proxy";

    /** Batches to fetch one by one before the cursor restarts. */
    private static final int MOVING_BATCHES = 4_096;

    /** Limit for the scans of a sweep, because appending small batches takes long. */
    private static final long SWEPT_BATCHES = 100_000;

    private static final long SWEPT_BYTES = 256 << 20;

    /** Processor time of three brokers in a second without clients, and a reserve. */
    private static final long IDLE_NS = 200_000_000;

    private static final Duration IDLE_PATIENCE = Duration.ofMinutes(1);

    private final BenchOptions options;
    private final Set<Way> ways;
    /** Null for those of the checkout. */
    private final Jars jars;

    private final BrokerCluster cluster;
    /** The first of the cluster, and by default the only one. */
    private final BrokerProcess broker;

    private final Map<Way, ProxyProcess> proxies = new EnumMap<>(Way.class);
    private final Map<String, EchoFloor> echoes = new HashMap<>();
    private final Map<String, Map<Way, TopicRef>> topics = new HashMap<>();
    private final Map<String, FilledLog> logs = new HashMap<>();

    private final List<ProcessUse.Meter> brokerMeters = new ArrayList<>();
    private final Map<Way, ProcessUse.Meter> proxyMeters = new EnumMap<>(Way.class);

    private BenchStage(BenchOptions options, Set<Way> ways, Jars jars) {
        this.options = options;
        this.ways = ways;
        this.jars = jars;
        cluster = BrokerCluster.start(options.brokerLine(), options.brokers(), this::prepared);
        broker = cluster.brokers().get(0);
    }

    private BrokerProcess.Builder prepared(BrokerProcess.Builder builder) {
        builder.profile(JvmProfile.PRODUCTION).property("log.retention.check.interval.ms", "2000");
        if (options.brokers() > 1) {
            Followers.SETTINGS.forEach(builder::property);
        }
        if (ways.stream().anyMatch(Way::isRdma)) {
            if (options.isVerbs()) {
                builder.withVerbs();
            } else {
                builder.withAgent();
            }
            if (options.brokers() > 1) {
                builder.property(Followers.KEY, "auto");
            }
        }
        if (jars != null) {
            builder.withAgent(jars.agent());
        }
        if (options.profile() != null) {
            Profiler.JVM_ARGUMENTS.forEach(builder::jvmArgument);
        }
        return builder;
    }

    private static String[] with(String[] settings, String key, String value) {
        String[] all = Arrays.copyOf(settings, settings.length + 2);
        all[settings.length] = key;
        all[settings.length + 1] = value;
        return all;
    }

    /** @param withRdmaFollowers of several brokers: whether to serve the way by RDMA, else the other ways */
    static BenchStage start(BenchOptions options, boolean withRdmaFollowers) throws IOException {
        Set<Way> ways = EnumSet.copyOf(options.ways());
        if (options.brokers() > 1) {
            ways.removeIf(way -> way.isRdma() != withRdmaFollowers);
        }
        return started(new BenchStage(options, ways, null));
    }

    /** Starts the agent and the proxy of a build, with RDMA. */
    static BenchStage start(BenchOptions options, Jars jars) throws IOException {
        return started(new BenchStage(options, EnumSet.of(Way.PROXY_RDMA), jars));
    }

    private static BenchStage started(BenchStage stage) throws IOException {
        try {
            stage.startProxies();
            stage.startMeters();
            return stage;
        } catch (IOException | RuntimeException failure) {
            stage.close();
            throw failure;
        }
    }

    /** Creates the topics, logs and echo servers of the workloads. */
    void prepare(List<Workload> workloads) throws IOException {
        createTopics(workloads);
        fillLogs(workloads);
        startEchoes(workloads);
    }

    /** Creates a topic for one way that keeps 512 MiB per partition. {@link #retire()} deletes it. */
    TopicRef createTopic(String name, Way way, int partitions) throws IOException {
        try (RawTopics creator = new RawTopics(broker.bootstrapServers())) {
            TopicRef topic = create(creator, (name + '-' + way.name()).toLowerCase(Locale.ROOT), partitions, PRODUCED);
            topics.computeIfAbsent(name, key -> new EnumMap<>(Way.class)).put(way, topic);
            return topic;
        }
    }

    /** Creates a log of such records for all ways. {@link #retire()} deletes it. */
    FilledLog fillLog(String name, long sizeBytes, int batchRecords, int valueBytes) throws IOException {
        try (RawTopics creator = new RawTopics(broker.bootstrapServers());
                RawClient client = RawClient.connect(broker.bootstrapServers())) {
            TopicRef topic = create(creator, name, 1, FilledLog.SETTINGS);
            FilledLog log = FilledLog.fill(client, topic, 1, sizeBytes, batchRecords, valueBytes);
            logs.put(name, log);
            return log;
        }
    }

    /** With several brokers, each has a replica of the only partition, and the first one leads. */
    private TopicRef create(RawTopics creator, String name, int partitions, String... settings) throws IOException {
        if (options.brokers() == 1) {
            return creator.create(name, partitions, settings);
        }
        List<Integer> nodes =
                cluster.brokers().stream().map(BrokerProcess::nodeId).toList();
        return creator.createOn(name, nodes, settings);
    }

    /** Waits for a minute at most until several brokers and their proxies have compiled what they ran. */
    void awaitIdle() throws InterruptedException {
        Deadline deadline = Deadline.after(IDLE_PATIENCE);
        long lastNs = options.brokers() > 1 ? IDLE_NS : 0;
        while (lastNs >= IDLE_NS && !deadline.isOver()) {
            long beforeNs = usedNs();
            TimeUnit.SECONDS.sleep(1);
            lastNs = usedNs() - beforeNs;
        }
    }

    private long usedNs() {
        return brokerUse().cpuNs()
                + proxies.keySet().stream()
                        .mapToLong(way -> proxyUse(way).cpuNs())
                        .sum();
    }

    /** Returns the bootstrap address of the way. */
    String bootstrap(Way way) {
        return way == Way.DIRECT ? broker.bootstrapServers() : proxies.get(way).bootstrapServers();
    }

    /** Returns the broker's address on the way. */
    InetSocketAddress address(Way way) throws IOException {
        MetadataResponseBroker node = RawTopics.onlyBroker(bootstrap(way));
        return new InetSocketAddress(node.host(), node.port());
    }

    /** Returns the record counts of the proxy on the way; 0 without a proxy. */
    PathCounts records(Way way) {
        ProxyProcess proxy = proxies.get(way);
        return proxy == null ? PathCounts.NONE : PathCounts.in(proxy.metrics());
    }

    /** Deletes topics and logs, which frees disk and page cache for later workloads. */
    void retire() throws IOException {
        echoes.values().forEach(EchoFloor::close);
        echoes.clear();
        try (RawTopics deleter = new RawTopics(broker.bootstrapServers())) {
            for (Map<Way, TopicRef> byWay : topics.values()) {
                for (TopicRef topic : byWay.values()) {
                    deleter.delete(topic);
                }
            }
            topics.clear();
            for (FilledLog log : logs.values()) {
                deleter.delete(log.topic());
            }
            logs.clear();
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

    private void startMeters() throws IOException {
        for (BrokerProcess each : cluster.brokers()) {
            brokerMeters.add(new ProcessUse.Meter(each.pid(), AllocationMeter.BROKER_THREADS));
        }
        for (var proxy : proxies.entrySet()) {
            proxyMeters.put(
                    proxy.getKey(), new ProcessUse.Meter(proxy.getValue().pid(), AllocationMeter.PROXY_THREADS));
        }
    }

    private ProxyProcess.Builder proxy() {
        ProxyProcess.Builder builder = ProxyProcess.builder(broker).profile(JvmProfile.SIDECAR);
        if (options.profile() != null) {
            Profiler.JVM_ARGUMENTS.forEach(builder::jvmArgument);
        }
        if (jars != null) {
            builder.jar(jars.proxy());
        }
        return builder;
    }

    private void createTopics(List<Workload> workloads) throws IOException {
        try (RawTopics creator = new RawTopics(broker.bootstrapServers());
                RawClient client = RawClient.connect(broker.bootstrapServers())) {
            for (Workload workload : workloads) {
                if (workload.isFollowed() || topics.containsKey(workload.topic())) {
                    continue;
                }
                Map<Way, TopicRef> byWay = new EnumMap<>(Way.class);
                for (Way way : ways) {
                    if (way == Way.ECHO) {
                        continue;
                    }
                    String name = (workload.topic() + '-' + way.name()).toLowerCase(Locale.ROOT);
                    TopicRef topic = creator.create(name, workload.partitions(), settings(workload));
                    if (workload.isOfFilledTopic()) {
                        KafkaExchange.fill(client, topic);
                    } else if (workload.kind() == Workload.Kind.COMMIT) {
                        OffsetCommits.awaitCoordinator(client, topic);
                    }
                    byWay.put(way, topic);
                }
                topics.put(workload.topic(), byWay);
            }
        }
    }

    /** Where registering pins memory, only preallocated files are registered beyond their end. */
    private String[] settings(Workload workload) {
        if (workload.kind() == Workload.Kind.TAIL && options.isVerbs()) {
            return with(PRODUCED, "preallocate", "true");
        }
        return workload.isSweep() ? SWEPT : PRODUCED;
    }

    /** One log serves all ways: reads do not change it. */
    private void fillLogs(List<Workload> workloads) throws IOException {
        try (RawTopics creator = new RawTopics(broker.bootstrapServers());
                RawClient client = RawClient.connect(broker.bootstrapServers())) {
            for (Workload workload : workloads) {
                if (workload.isFollowed() && !logs.containsKey(workload.topic())) {
                    logs.put(workload.topic(), log(creator, client, workload));
                }
            }
        }
    }

    private FilledLog log(RawTopics creator, RawClient client, Workload workload) throws IOException {
        String name = workload.topic().toLowerCase(Locale.ROOT);
        int value = workload.valueBytes();
        long batchBytes = (long) value * workload.batchRecords();
        return switch (workload.kind()) {
            case SCAN ->
                workload.isSweep()
                        ? FilledLog.create(
                                creator,
                                client,
                                name,
                                workload.partitions(),
                                Math.min(Math.min(SWEPT_BYTES, options.scanBytes()), SWEPT_BATCHES * batchBytes),
                                workload.batchRecords(),
                                new int[] {value})
                        : FilledLog.create(creator, client, name, options.scanBytes(), value, 2 * value, 4 * value);
            case ONE_BATCH ->
                FilledLog.create(
                        creator, client, name, Math.min(SWEPT_BYTES, (long) MOVING_BATCHES * batchBytes), value);
            default -> FilledLog.empty(creator.create(name, 1));
        };
    }

    /** Each echo answer has the size of the broker's. */
    private void startEchoes(List<Workload> workloads) throws IOException {
        if (!ways.contains(Way.ECHO)) {
            return;
        }
        for (Workload workload : workloads) {
            if (workload.hasFloor()) {
                try (Exchange direct = open(Way.DIRECT, workload)) {
                    echoes.put(
                            workload.name(),
                            direct instanceof FetchExchange fetches
                                    ? EchoFloor.start(fetches.answerFrame())
                                    : EchoFloor.start(((KafkaExchange) direct).checkedAnswerBytes(workload)));
                }
            }
        }
    }

    @Override
    public Set<Way> ways() {
        return EnumSet.copyOf(ways);
    }

    @Override
    public Exchange open(Way way, Workload workload) throws IOException {
        if (workload.isOfClient()) {
            return ClientExchange.open(
                    workload, bootstrap(way), topics.get(workload.topic()).get(way));
        }
        String address = address(way, workload);
        int colon = address.lastIndexOf(':');
        InetSocketAddress peer =
                new InetSocketAddress(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
        if (workload.isFollowed()) {
            return FetchExchange.open(workload, peer, logs.get(workload.topic()), way != Way.ECHO);
        }
        TopicRef topic = topics.get(workload.topic()).get(way == Way.ECHO ? Way.DIRECT : way);
        if (workload.isByTwo()) {
            return EndToEndExchange.open(workload, peer, topic);
        } else if (workload.kind() == Workload.Kind.TRANSACTION) {
            return TransactionExchange.open(workload, peer, topic);
        } else if (workload.kind() == Workload.Kind.HEARTBEAT) {
            return HeartbeatExchange.open(peer, topic);
        }
        KafkaExchange exchange = KafkaExchange.open(workload, address, topic);
        if (way != Way.ECHO) {
            exchange.checkedAnswerBytes(workload);
        }
        return exchange;
    }

    private String address(Way way, Workload workload) throws IOException {
        if (way == Way.ECHO) {
            return echoes.get(workload.name()).address();
        }
        MetadataResponseBroker node = RawTopics.onlyBroker(bootstrap(way));
        return node.host() + ':' + node.port();
    }

    @Override
    public long requestsByRdma(Way way) {
        ProxyProcess proxy = proxies.get(way);
        if (proxy == null) {
            return 0;
        }
        MetricSamples metrics = proxy.metrics();
        return metrics.count("slipstream_requests_total", "path", "rdma");
    }

    @Override
    public ProcessUse brokerUse() {
        return brokerMeters.stream().map(ProcessUse.Meter::read).reduce(ProcessUse.NONE, ProcessUse::plus);
    }

    @Override
    public ProcessUse proxyUse(Way way) {
        ProcessUse.Meter meter = proxyMeters.get(way);
        return meter == null ? ProcessUse.NONE : meter.read();
    }

    @Override
    public Map<String, Long> processes(Way way) {
        if (way == Way.ECHO) {
            return Map.of();
        }
        Map<String, Long> pids = new TreeMap<>();
        for (BrokerProcess each : cluster.brokers()) {
            pids.put(each == broker ? "broker" : "broker-" + each.nodeId(), each.pid());
        }
        if (proxies.containsKey(way)) {
            pids.put(PROXY, proxies.get(way).pid());
        }
        return pids;
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
            echoes.values().forEach(EchoFloor::close);
            proxies.values().forEach(ProxyProcess::close);
            cluster.close();
        }
    }
}
