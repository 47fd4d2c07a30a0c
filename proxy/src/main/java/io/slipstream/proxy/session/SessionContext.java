package io.slipstream.proxy.session;

import io.netty.util.concurrent.FastThreadLocal;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.proxy.config.ProxyConfig;
import io.slipstream.proxy.fastpath.FastPathFactory;
import io.slipstream.proxy.live.LivePage;
import io.slipstream.proxy.live.LiveReport;
import io.slipstream.proxy.live.PartitionTable;
import io.slipstream.proxy.live.TopicNames;
import io.slipstream.proxy.naming.NameLookups;
import io.slipstream.proxy.tls.Encryption;
import io.slipstream.proxy.topology.ClusterTopology;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** What all client sessions of a proxy share. Thread-safe. */
public final class SessionContext {
    final ProxyConfig config;
    final ClusterTopology topology;
    final ResponseAdapter adapter;
    final FastPathFactory fastPaths;
    final SessionMeters meters;
    final SessionRegistry sessions;
    final Transport transport;
    final Encryption encryption;
    final NameLookups names;
    /** Connections of clients whose TLS handshake is not over. */
    final AtomicInteger handshakes = new AtomicInteger();

    final DisconnectLogLimit logLimit = new DisconnectLogLimit();
    /** One for each event loop that has served somebody. */
    private final List<PartitionTable> partitionTables = new CopyOnWriteArrayList<>();

    final TopicNames topicNames = new TopicNames();
    private final FastThreadLocal<FrameCounts> frameCounts = new FastThreadLocal<>() {
        @Override
        protected FrameCounts initialValue() {
            PartitionTable partitions = new PartitionTable();
            partitionTables.add(partitions);
            return new FrameCounts(partitions);
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
            NameLookups names) {
        this.config = config;
        this.transport = transport;
        this.topology = topology;
        this.adapter = adapter;
        this.fastPaths = fastPaths;
        this.meters = new SessionMeters(registry);
        this.sessions = sessions;
        this.encryption = encryption;
        this.names = names;
    }

    /** For those who look on; any thread. */
    public List<LivePage.Client> liveClients() {
        return LiveReport.clients(sessions.activities());
    }

    public List<LivePage.Partition> livePartitions() {
        return LiveReport.partitions(partitionTables, topicNames);
    }

    public List<LivePage.Api> liveApis() {
        return meters.liveApis();
    }

    /** Requests by reason, in lower case. */
    public Map<String, Long> liveFallbacks() {
        return meters.liveFallbacks();
    }

    /** The calling thread's own. */
    FrameCounts frameCounts() {
        return frameCounts.get();
    }
}
