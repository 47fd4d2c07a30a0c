// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy;

import io.slipstream.link.meter.Meter;
import io.slipstream.link.net.NameLookups;
import io.slipstream.link.settings.TransportSettings;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.proxy.address.ClusterView;
import io.slipstream.proxy.buffer.OutboundBudget;
import io.slipstream.proxy.buffer.PooledMemory;
import io.slipstream.proxy.config.FastPathSettings;
import io.slipstream.proxy.config.ProxyConfig;
import io.slipstream.proxy.config.ProxyKeys;
import io.slipstream.proxy.count.PartitionTables;
import io.slipstream.proxy.listener.BrokerListeners;
import io.slipstream.proxy.listener.BrokerLoops;
import io.slipstream.proxy.live.LivePage;
import io.slipstream.proxy.live.LiveReport;
import io.slipstream.proxy.log.LogLevels;
import io.slipstream.proxy.management.ManagementPages;
import io.slipstream.proxy.management.ManagementServer;
import io.slipstream.proxy.rdma.RdmaFastPathFactory;
import io.slipstream.proxy.session.SessionContext;
import io.slipstream.proxy.session.SessionRegistry;
import io.slipstream.proxy.session.Transport;
import io.slipstream.proxy.session.WakeupProbe;
import io.slipstream.proxy.spi.FastPathFactory;
import io.slipstream.proxy.tls.Encryption;
import io.slipstream.proxy.topology.BrokerEndpoint;
import io.slipstream.proxy.topology.BrokersFile;
import io.slipstream.proxy.topology.ClusterTopology;
import io.slipstream.proxy.topology.TopologyRefresher;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running proxy: creates its parts and closes them in order. {@link #start} returns when the bootstrap and management
 * ports are open. The cluster may still be unreachable then ({@link #notReadyReason}).
 */
public final class Sidecar implements ManagementPages, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Sidecar.class);
    private static final long NS_PER_MS = 1_000_000;
    private static final long DRAIN_POLL_MS = 10;
    private static final String NO_RDMA = "tcp";
    /** An event loop that runs no task for so long serves its clients no longer. */
    private static final long STALL_NS = TimeUnit.SECONDS.toNanos(10);

    private final ProxyConfig config;
    /** The configuration whose {@code rdma.enabled} and {@code log.level} were taken over last. */
    private ProxyConfig followed;

    private final MeterRegistry meters = new MeterRegistry(Meter.values()).withProcessMeters();
    private final SessionRegistry sessions = new SessionRegistry();
    private final Encryption encryption;
    private final NameLookups names;
    final Transport transport;
    private final WakeupProbe wakeups;
    private final OutboundBudget outbound;
    private final FastPathFactory fastPaths;
    private final BrokerListeners listeners;
    private final ClusterTopology topology;
    /** Null if the brokers are not kept. */
    private final BrokersFile brokersFile;

    private final TopologyRefresher refresher;
    private final SessionContext sessionContext;
    private final LogLevels logLevels;
    private final PartitionTables partitions = new PartitionTables();
    private final LiveReport live = new LiveReport(this::livePage);
    private final long startNs = System.nanoTime();
    private ManagementServer management;
    private final AtomicBoolean closing = new AtomicBoolean();
    private volatile boolean cut;

    private Sidecar(ProxyConfig config, NameLookups names) {
        this.config = config;
        followed = config;
        this.names = names;
        encryption = new Encryption(config);
        transport = Transport.start("slipstream-loop", config.eventLoops(), config.eventLoopSpinNs());
        outbound = new OutboundBudget(config.maxOutboundBytes(), meters);
        fastPaths = openFastPaths();
        wakeups = WakeupProbe.start(transport.loops(), meters.latency(Meter.WAKEUP_LATENCY));
        BrokerLoops loops = new BrokerLoops(transport.loops(), wakeups::isSaturated);
        listeners = new BrokerListeners(config, transport, loops, meters, sessions::closeClientsOf);
        brokersFile = config.brokersFile == null ? null : new BrokersFile(config.brokersFile, config.bootstrapServers);
        topology = new ClusterTopology(new Observers(), config.getInt(ProxyKeys.BROKER_EXPIRY_MS) * NS_PER_MS, meters);
        refresher = new TopologyRefresher(
                transport.loops().next(), transport.channel(), topology, config, encryption, names);
        sessionContext = new SessionContext(
                config,
                transport,
                topology,
                new ClusterView(config, topology, listeners),
                fastPaths,
                meters,
                sessions,
                encryption,
                names,
                partitions,
                outbound);
        logLevels = new LogLevels(transport.loops());
        meters.supply(() -> fastPaths.isEnabled() ? 1 : 0, Meter.RDMA_ENABLED);
        meters.supply(() -> notReadyReason() == null ? 1 : 0, Meter.READY);
        meters.supply(() -> config.getInt(ProxyKeys.MAX_CONNECTIONS), Meter.MAX_CONNECTIONS);
        meters.supply(config::maxOutboundBytes, Meter.MAX_OUTBOUND_BYTES);
        meters.count(Meter.BUILD_INFO, BuildInfo.VERSION, BuildInfo.REVISION).increment();
    }

    private FastPathFactory openFastPaths() {
        if (config.getString(ProxyKeys.RDMA_PROVIDER).equals(NO_RDMA)) {
            return new FastPathFactory() {};
        }
        TransportSettings links = new TransportSettings(
                config.getString(ProxyKeys.RDMA_PROVIDER),
                config.rdmaDevice(),
                TransportSettings.SPIN_NS,
                config.getInt(ProxyKeys.RDMA_READ_MEMORY_BYTES));
        FastPathSettings settings = FastPathSettings.of(
                config.getBoolean(ProxyKeys.RDMA_ENABLED),
                links,
                config.directory,
                config.rdmaControlPorts(encryption.isTowardsPlugins() ? encryption::towardsPlugin : null),
                config.getInt(ProxyKeys.RDMA_CONTROL_TIMEOUT_MS) * NS_PER_MS);
        String proxyId = config.getString(ProxyKeys.LISTEN_HOST) + ":" + config.getInt(ProxyKeys.LISTEN_PORT) + "/"
                + ProcessHandle.current().pid();
        return new RdmaFastPathFactory(
                settings, meters, PooledMemory.ALLOCATOR, proxyId, names, partitions, outbound, transport.turns());
    }

    /** Observers of the cluster's brokers: the listeners for their clients, and the fast path. */
    private final class Observers implements ClusterTopology.Observer {
        @Override
        public CompletableFuture<Void> onBroker(BrokerEndpoint broker) {
            fastPaths.brokerAt(broker.nodeId(), broker.host());
            return listeners.onBroker(broker);
        }

        @Override
        public void onBrokerGone(int nodeId) {
            listeners.onBrokerGone(nodeId);
        }

        @Override
        public void onChanged(String clusterId, List<BrokerEndpoint> brokers) {
            if (brokersFile != null) {
                brokersFile.keep(clusterId, brokers);
            }
        }
    }

    /**
     * @throws io.slipstream.proxy.listener.BindException if a port is in use
     * @throws org.apache.kafka.common.config.ConfigException naming the key, if a key or trust store cannot be used
     * @throws InterruptedException if interrupted while the ports are opened
     */
    public static Sidecar start(ProxyConfig config) throws InterruptedException {
        return start(config, new NameLookups());
    }

    /** @param names closed with the proxy */
    static Sidecar start(ProxyConfig config, NameLookups names) throws InterruptedException {
        config.retiredKeys.forEach(key -> log.warn("{} no longer has an effect; the next release refuses it", key));
        Sidecar sidecar = new Sidecar(config, names);
        try {
            sidecar.open();
            return sidecar;
        } catch (InterruptedException | RuntimeException e) {
            sidecar.close();
            throw e;
        }
    }

    private void open() throws InterruptedException {
        try {
            listeners.start(sessionContext).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
        if (brokersFile != null) {
            brokersFile.restore(topology);
        }
        management = ManagementServer.start(config, this);
        refresher.start();
        log.info(
                "{}",
                StartBanner.of(
                        config, transport.name(), fastPaths.describe(), bootstrapAddress(), managementAddress()));
    }

    public InetSocketAddress bootstrapAddress() {
        return listeners.bootstrapAddress();
    }

    public InetSocketAddress managementAddress() {
        return management.address();
    }

    public MeterRegistry meters() {
        return meters;
    }

    @Override
    public String metrics() {
        return meters.scrape();
    }

    @Override
    public String notLiveReason() {
        return wakeups.stalled(STALL_NS);
    }

    @Override
    public String notReadyReason() {
        if (closing.get()) {
            return "stopping";
        }
        return refresher.isReachable() ? listeners.obstacle() : refresher.obstacle();
    }

    @Override
    public String rdmaInUse() {
        return fastPaths.describe();
    }

    @Override
    public boolean isRdmaEnabled() {
        return fastPaths.isEnabled();
    }

    @Override
    public void setRdmaEnabled(boolean enabled) {
        log.info("RDMA is switched {}", enabled ? "on" : "off");
        fastPaths.setEnabled(enabled);
    }

    @Override
    public CompletableFuture<byte[]> live() {
        return live.json();
    }

    private LivePage livePage() {
        return new LivePage(
                BuildInfo.VERSION,
                ProcessHandle.current().pid(),
                System.currentTimeMillis(),
                (System.nanoTime() - startNs) / NS_PER_MS,
                StartBanner.hostAndPort(bootstrapAddress()),
                meters.value(Meter.BROKERS),
                meters.value(Meter.LINKS_UP),
                fastPaths.isEnabled(),
                fastPaths.describe(),
                sessions.size(),
                sessionContext.liveClients(),
                sessionContext.livePartitions(),
                sessionContext.liveApis(),
                LiveReport.latencyBoundsNs(),
                sessionContext.liveFallbacks());
    }

    @Override
    public LogLevels logLevels() {
        return logLevels;
    }

    /**
     * Takes over what can change while the proxy runs: {@code rdma.enabled}, {@code log.level}, and the content of key
     * and trust stores.
     *
     * @return the other keys that differ from the start, which need a restart
     */
    public synchronized Set<String> follow(ProxyConfig next) {
        Set<String> changed = next.differences(followed);
        if (changed.contains(ProxyKeys.RDMA_ENABLED)) {
            setRdmaEnabled(next.getBoolean(ProxyKeys.RDMA_ENABLED));
        }
        if (changed.contains(ProxyKeys.LOG_LEVEL)) {
            logLevels.set(LogLevels.OWN, next.logLevel(), "");
        }
        encryption.reload();
        followed = next;
        Set<String> others = next.differences(config);
        others.removeAll(Set.of(ProxyKeys.RDMA_ENABLED, ProxyKeys.LOG_LEVEL));
        return others;
    }

    @Override
    public CompletableFuture<Encryption.Reload> reloadTls() {
        return encryption.reload();
    }

    /** Whether the drain's deadline disconnected clients with unanswered requests. */
    public boolean hasCutClients() {
        return cut;
    }

    /**
     * Reports not ready, refuses new clients, waits for requests in flight until the drain's deadline, then stops.
     * Idempotent.
     */
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        refresher.stop();
        listeners.close();
        drain();
        if (management != null) {
            management.close();
        }
        wakeups.close();
        fastPaths.close();
        // Before the event loops, which receive its results.
        names.close();
        transport.close();
        encryption.close();
        if (brokersFile != null) {
            brokersFile.close();
        }
        live.close();
        meters.close();
    }

    private void drain() {
        long startNs = System.nanoTime();
        long timeoutNs = config.getInt(ProxyKeys.DRAIN_TIMEOUT_MS) * NS_PER_MS;
        log.info(
                "stopping: {} clients with {} requests in flight have {} ms to finish",
                sessions.size(),
                meters.value(Meter.REQUESTS_IN_FLIGHT),
                config.getInt(ProxyKeys.DRAIN_TIMEOUT_MS));
        sessions.drainAll();
        try {
            while (sessions.unfinished() > 0 && System.nanoTime() - startNs < timeoutNs) {
                TimeUnit.MILLISECONDS.sleep(DRAIN_POLL_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        int left = sessions.unfinished();
        if (left > 0) {
            cut = true;
            log.warn(
                    "{} clients with {} requests in flight are disconnected: they did not finish within {}={}",
                    left,
                    meters.value(Meter.REQUESTS_IN_FLIGHT),
                    ProxyKeys.DRAIN_TIMEOUT_MS,
                    config.getInt(ProxyKeys.DRAIN_TIMEOUT_MS));
            sessions.closeAll();
        } else {
            log.info("all clients have finished, after {} ms", (System.nanoTime() - startNs) / NS_PER_MS);
        }
    }
}
