package io.slipstream.proxy.session;

import io.netty.util.concurrent.FastThreadLocal;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.proxy.config.ProxyConfig;
import io.slipstream.proxy.fastpath.FastPathFactory;
import io.slipstream.proxy.tls.Encryption;
import io.slipstream.proxy.topology.ClusterTopology;
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
    /** Connections of clients whose TLS handshake is not over. */
    final AtomicInteger handshakes = new AtomicInteger();

    final DisconnectLogLimit logLimit = new DisconnectLogLimit();
    private final FastThreadLocal<FrameCounts> frameCounts = new FastThreadLocal<>() {
        @Override
        protected FrameCounts initialValue() {
            return new FrameCounts();
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
            Encryption encryption) {
        this.config = config;
        this.transport = transport;
        this.topology = topology;
        this.adapter = adapter;
        this.fastPaths = fastPaths;
        this.meters = new SessionMeters(registry);
        this.sessions = sessions;
        this.encryption = encryption;
    }

    /** The calling thread's own. */
    FrameCounts frameCounts() {
        return frameCounts.get();
    }
}
