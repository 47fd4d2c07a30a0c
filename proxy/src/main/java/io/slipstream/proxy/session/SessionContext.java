// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.util.concurrent.FastThreadLocal;
import io.slipstream.link.meter.DisconnectCause;
import io.slipstream.link.net.NameLookups;
import io.slipstream.metrics.Label;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.proxy.buffer.OutboundBudget;
import io.slipstream.proxy.config.ProxyConfig;
import io.slipstream.proxy.count.PartitionTables;
import io.slipstream.proxy.live.LivePage;
import io.slipstream.proxy.live.LiveReport;
import io.slipstream.proxy.live.TopicNames;
import io.slipstream.proxy.spi.FastPathFactory;
import io.slipstream.proxy.tls.Encryption;
import io.slipstream.proxy.topology.ClusterTopology;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Objects that all client sessions of a proxy share. Thread-safe. */
public final class SessionContext {
    private static final long LOG_PAUSE_NS = TimeUnit.SECONDS.toNanos(1);
    private static final Logger log = LoggerFactory.getLogger(ClientSession.class);

    final ProxyConfig config;
    final ClusterTopology topology;
    final ResponseAdapter adapter;
    final FastPathFactory fastPaths;
    final SessionMeters meters;
    final SessionRegistry sessions;
    final Transport transport;
    final Encryption encryption;
    final NameLookups names;
    final OutboundBudget outbound;
    /** Number of client connections in a TLS handshake. */
    final AtomicInteger handshakes = new AtomicInteger();

    /** By cause: the time from which the end of a connection is logged again; {@link System#nanoTime}. */
    private final AtomicLongArray quietUntilNs = new AtomicLongArray(DisconnectCause.values().length);

    private final PartitionTables partitions;

    final TopicNames topicNames = new TopicNames();
    private final FastThreadLocal<FrameCounts> frameCounts = new FastThreadLocal<>() {
        @Override
        protected FrameCounts initialValue() {
            return new FrameCounts(partitions.own());
        }
    };

    public SessionContext(
            ProxyConfig config,
            Transport transport,
            ClusterTopology topology,
            ResponseAdapter adapter,
            FastPathFactory fastPaths,
            MeterRegistry registry,
            SessionRegistry sessions,
            Encryption encryption,
            NameLookups names,
            PartitionTables partitions,
            OutboundBudget outbound) {
        this.config = config;
        this.transport = transport;
        this.topology = topology;
        this.adapter = adapter;
        this.fastPaths = fastPaths;
        this.meters = new SessionMeters(registry);
        this.sessions = sessions;
        this.encryption = encryption;
        this.names = names;
        this.partitions = partitions;
        this.outbound = outbound;
        for (int i = 0; i < quietUntilNs.length(); i++) {
            quietUntilNs.set(i, System.nanoTime());
        }
    }

    /** For the live page; any thread. */
    public List<LivePage.Client> liveClients() {
        return LiveReport.clients(sessions.activities());
    }

    public List<LivePage.Partition> livePartitions() {
        return LiveReport.partitions(partitions.all, topicNames);
    }

    public List<LivePage.Api> liveApis() {
        return meters.liveApis();
    }

    /** Number of requests by reason, in lower case. */
    public Map<String, Long> liveFallbacks() {
        return meters.liveFallbacks();
    }

    /** Counts and logs the end of a client's connection. */
    void onClosed(Object client, DisconnectCause cause, String detail) {
        meters.disconnects(cause).increment();
        boolean quiet = cause.ordinary || !mayLog(cause);
        log.atLevel(quiet ? Level.DEBUG : Level.WARN).log("{}: closed, {}: {}", client, Label.valueOf(cause), detail);
    }

    /** Admits one line per second and cause, so that a port scan or a broker failure does not fill the disk. */
    private boolean mayLog(DisconnectCause cause) {
        long nowNs = System.nanoTime();
        long untilNs = quietUntilNs.get(cause.ordinal());
        return nowNs - untilNs >= 0 && quietUntilNs.compareAndSet(cause.ordinal(), untilNs, nowNs + LOG_PAUSE_NS);
    }

    /** The instance of the calling thread. */
    FrameCounts frameCounts() {
        return frameCounts.get();
    }
}
