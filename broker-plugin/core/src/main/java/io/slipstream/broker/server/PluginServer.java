// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.server;

import com.sun.management.OperatingSystemMXBean;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.slipstream.broker.config.HostPort;
import io.slipstream.broker.config.PluginConfig;
import io.slipstream.broker.config.PluginKeys;
import io.slipstream.broker.control.Authentication;
import io.slipstream.broker.control.ControlEncryption;
import io.slipstream.broker.control.ControlServer;
import io.slipstream.broker.control.DescriptorReserve;
import io.slipstream.broker.control.LinkLimits;
import io.slipstream.broker.control.LinkService;
import io.slipstream.broker.control.LinkTable;
import io.slipstream.broker.control.SocketDirectory;
import io.slipstream.broker.fetch.LogDirectories;
import io.slipstream.broker.fetch.ReadsConfig;
import io.slipstream.broker.fetch.SlotReads;
import io.slipstream.broker.kafka.BrokerHandle;
import io.slipstream.broker.kafka.KafkaLine;
import io.slipstream.broker.kafka.RequestHandlers;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.broker.ring.RingThread;
import io.slipstream.broker.session.NonceTable;
import io.slipstream.broker.session.SessionTable;
import io.slipstream.protocol.control.ControlSecret;
import io.slipstream.protocol.tls.TlsDefinition;
import io.slipstream.rdma.DeviceMeters;
import io.slipstream.rdma.RdmaDevice;
import io.slipstream.rdma.RdmaListener;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All parts of the plugin that serve the proxies of one broker: device, rings, handler threads and control channel.
 * {@link #close} undoes the steps of the start in reverse order, also after a start that failed half-way.
 */
public final class PluginServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(PluginServer.class);
    private static final long CLOSER_STOP_SECONDS = 5;
    /** Time for the proxies' requests on their way. A client of which the broker learns later closes its connection. */
    private static final long HAND_BACK_MS = 250;

    private static final int PENDING_NONCES = 16_384;

    private final PluginMeters counters;
    /** Returns the table to which the broker's threads report connections. */
    public final SessionTable sessions;
    /** The address of the control channel's TCP listener; null if there is none. */
    InetSocketAddress controlAddress;

    private RequestHandlers handlers;
    private boolean serving;
    /** Undo the steps of the start, the last one first. */
    private final Deque<AutoCloseable> undo = new ArrayDeque<>();

    private PluginServer(PluginMeters counters, NonceTable nonces, PluginConfig config) {
        this.counters = counters;
        this.sessions = new SessionTable(
                nonces, counters, config.maxSessions(), config.maxSessionsPerPrincipal(), config.exclusions());
    }

    /** Starts to serve. If the start fails, it undoes all steps and throws. */
    public static PluginServer start(KafkaLine line, BrokerHandle broker, PluginMeters counters) throws IOException {
        NonceTable nonces = new NonceTable(PENDING_NONCES, System::nanoTime);
        PluginServer server = new PluginServer(counters, nonces, broker.config());
        try {
            server.open(line, broker, nonces);
            return server;
        } catch (Throwable e) {
            server.close();
            throw e;
        }
    }

    private void open(KafkaLine line, BrokerHandle broker, NonceTable nonces) throws IOException {
        PluginConfig config = broker.config();
        SocketDirectory directory =
                SocketDirectory.open(config.directory(), config.control().peers());
        RdmaDevice device = DeviceChoice.open(config);
        undo.push(device);
        undo.push(new DeviceMeters(counters.registry, device, PluginMeter::valueOf));
        undo.push(DescriptorReserve.meter(counters.registry));

        List<RingThread> threads = ringThreads(config, device);
        LogDirectories directories = LogDirectories.probe(device, broker.logDirs());
        SlotReads logs = line.readableLogs(broker, reads(broker, device, directories));
        undo.push(logs);
        logs.meter(counters.registry);
        handlers = line.requestHandlers(broker, counters, threads);
        undo.push(handlers);

        ExecutorService opener = Executors.newSingleThreadExecutor(new DefaultThreadFactory("slipstream-opener", true));
        undo.push(opener::shutdown);
        ExecutorService closer = Executors.newSingleThreadExecutor(new DefaultThreadFactory("slipstream-closer", true));
        undo.push(() -> {
            closer.shutdown();
            closer.awaitTermination(CLOSER_STOP_SECONDS, TimeUnit.SECONDS);
        });
        // Reads the stores, so that the start fails with the name of an unusable one.
        ControlEncryption tls = config.control().tls() == null
                ? null
                : new ControlEncryption(config.control().tls());
        if (tls != null) {
            undo.push(tls);
        }
        ControlServer control = new ControlServer(config.maxLinks());
        undo.push(control);
        LinkTable links = new LinkTable(
                config, control.eventLoop(), opener, closer, device, threads, logs, nonces, sessions, counters);
        undo.push(() -> control.eventLoop()
                .submit(() -> links.closeAll("the broker shuts down"))
                .get(1, TimeUnit.SECONDS));

        RdmaListener listener =
                device.listen(DeviceChoice.listenAddress(device, broker, directory), links::onConnectionRequest);
        undo.push(listener);
        LinkService service = new LinkService(broker, device.provider(), listener.address(), links);
        control.listen(
                directory.socket(broker.clusterId(), broker.nodeId(), "sock"),
                config.control().peers(),
                service);
        listenOnTcp(control, broker, config.control().address(device.provider()), tls, service);
        handlers.start();
        serving = true;
        log.info(
                "Slipstream serves broker {} of cluster {} by {} on {}, control sockets in {}, {} handler threads",
                broker.nodeId(),
                broker.clusterId(),
                device.provider(),
                listener.address(),
                directory,
                config.handlerThreads());
    }

    /**
     * Opens the TCP listener. If the port cannot be opened, or must not be, remote proxies cannot connect; local ones
     * are not affected.
     */
    private void listenOnTcp(
            ControlServer control, BrokerHandle broker, HostPort address, ControlEncryption tls, LinkService service) {
        if (address == null) {
            return;
        }
        ControlSecret secret = broker.config().control().secret();
        InetAddress resolved = new InetSocketAddress(address.host(), 0).getAddress();
        boolean isLocal = resolved == null || resolved.isLoopbackAddress();
        boolean asksForCertificates = tls != null && tls.asksForCertificates;
        if (!isLocal && secret == null && !asksForCertificates) {
            log.error(
                    "{}={} can be reached from other hosts without authentication: the port stays closed, and only"
                            + " proxies on this host can use RDMA. Set {} or {}, or {}=required with {} and {}",
                    PluginKeys.CONTROL_ADDRESS,
                    address,
                    PluginKeys.CONTROL_SECRET,
                    PluginKeys.CONTROL_SECRET_FILE,
                    PluginKeys.CONTROL_TLS.key(TlsDefinition.CLIENT_AUTH),
                    PluginKeys.CONTROL_TLS.key("ssl.keystore.*"),
                    PluginKeys.CONTROL_TLS.key("ssl.truststore.*"));
            return;
        }
        try {
            controlAddress = control.listen(
                    address, tls, () -> new Authentication(secret, broker.clusterId(), broker.nodeId()), service);
            log.info(
                    "Slipstream's control channel listens on {}, {}, for {}",
                    controlAddress,
                    tls == null ? "plain" : "TLS",
                    admitted(secret != null, asksForCertificates));
        } catch (IOException e) {
            log.error(
                    "{}: {}. Only proxies that find the control socket on this host can use RDMA; give each broker of a host its own port",
                    PluginKeys.CONTROL_ADDRESS,
                    e.getMessage());
        }
    }

    private static String admitted(boolean bySecret, boolean byCertificate) {
        if (bySecret) {
            return byCertificate ? "proxies that have the secret and a certificate" : "proxies that have the secret";
        }
        return byCertificate ? "proxies that have a certificate" : "all processes on this host";
    }

    private static ReadsConfig reads(BrokerHandle broker, RdmaDevice device, LogDirectories directories)
            throws IOException {
        PluginConfig config = broker.config();
        return new ReadsConfig(
                broker.bootId(),
                config.slots(),
                config.leaseMs(),
                readBudgetBytes(config, device),
                mostRegions(device.provider()),
                config.readWindowBytes(),
                directories,
                config.exclusions().topics());
    }

    /** Limits the registered bytes to half of the memory of the machine or container where registering pins memory. */
    private static long readBudgetBytes(PluginConfig config, RdmaDevice device) {
        long configured = config.registeredBytes();
        if (!device.provider().equals(DeviceChoice.VERBS)
                || !(ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system)) {
            return configured;
        }
        long half = system.getTotalMemorySize() / 2;
        if (configured > half) {
            log.info(
                    "{}={} would pin more than half of this machine's memory; the limit is {}",
                    PluginKeys.REGISTERED_BYTES,
                    configured,
                    half);
        }
        return Math.min(configured, half);
    }

    /** Leaves half of the mappings that the kernel allows a process to the broker, where a region is a mapping. */
    static int mostRegions(String provider) throws IOException {
        if (!provider.equals(DeviceChoice.VERBS)) {
            return Integer.MAX_VALUE;
        }
        // The kernel gives a setting to the first read only, and readString reads one byte first.
        return Integer.parseInt(Files.readAllLines(Path.of("/proc/sys/vm/max_map_count"))
                        .get(0))
                / 2;
    }

    private List<RingThread> ringThreads(PluginConfig config, RdmaDevice device) throws IOException {
        List<RingThread> threads = new ArrayList<>();
        for (int i = 0; i < config.handlerThreads(); i++) {
            var completionQueue = device.createCompletionQueue(LinkLimits.completionsPerThread(config));
            undo.push(completionQueue);
            threads.add(new RingThread(
                    completionQueue,
                    LinkLimits.linksPerThread(config),
                    config.pollSpinNs(),
                    RingThread.MOST_HELD_REPLIES));
        }
        return List.copyOf(threads);
    }

    /** Hands all requests back to TCP for a moment, so that a close that follows finds next to none in the rings. */
    void leaveToTcp() throws InterruptedException {
        handlers.leaveToTcp();
        Thread.sleep(HAND_BACK_MS);
    }

    /** Stops serving; peers notice at once. Idempotent; called by the broker's shutdown, never throws. */
    @Override
    public void close() {
        while (!undo.isEmpty()) {
            try {
                undo.pop().close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                log.warn("Closing the plugin: a step failed", e);
            }
        }
        if (serving) {
            serving = false;
            log.info("Slipstream stopped; counters: {}", counters.snapshot());
        }
    }
}
