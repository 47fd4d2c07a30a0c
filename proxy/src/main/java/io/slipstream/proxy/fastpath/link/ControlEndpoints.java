package io.slipstream.proxy.fastpath.link;

import io.slipstream.proxy.fastpath.FastPathSettings;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The control sockets of all brokers that clients asked for; one for each broker and proxy. Thread-safe. */
public final class ControlEndpoints {
    private final FastPathSettings settings;
    private final String proxyId;
    private final Map<Broker, ControlEndpoint> byBroker = new ConcurrentHashMap<>();

    private record Broker(String clusterId, int nodeId) {}

    public ControlEndpoints(FastPathSettings settings, String proxyId) {
        this.settings = settings;
        this.proxyId = proxyId;
    }

    ControlEndpoint of(String clusterId, int nodeId) {
        return byBroker.computeIfAbsent(
                new Broker(clusterId, nodeId),
                broker -> new ControlEndpoint(
                        clusterId,
                        nodeId,
                        settings.directory(),
                        proxyId,
                        settings.controlTimeoutNs(),
                        settings.absenceNs()));
    }

    public void close() {
        byBroker.values().forEach(ControlEndpoint::close);
    }
}
