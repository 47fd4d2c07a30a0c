// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.control;

import io.slipstream.link.net.NameLookups;
import io.slipstream.link.settings.LinkSettings;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The control channels to all brokers that clients have used, one per broker. Thread-safe. */
public final class ControlEndpoints {
    private final LinkSettings settings;
    private final String proxyId;
    private final NameLookups names;
    private final Map<Broker, ControlEndpoint> byBroker = new ConcurrentHashMap<>();
    /** Advertised hosts of brokers, by node id. */
    private final Map<Integer, String> hosts = new ConcurrentHashMap<>();

    private record Broker(String clusterId, int nodeId) {}

    /** @param names must stay open while this object is used; the caller closes it */
    public ControlEndpoints(LinkSettings settings, String proxyId, NameLookups names) {
        this.settings = settings;
        this.proxyId = proxyId;
        this.names = names;
    }

    /** Sets the host that the broker advertises now. */
    public void learn(int nodeId, String host) {
        hosts.put(nodeId, host);
    }

    public ControlEndpoint of(String clusterId, int nodeId) {
        return byBroker.computeIfAbsent(
                new Broker(clusterId, nodeId),
                broker -> new ControlEndpoint(clusterId, nodeId, settings, () -> tcpAddressOf(nodeId), proxyId, names));
    }

    private ControlAddress tcpAddressOf(int nodeId) {
        String host = hosts.get(nodeId);
        int port = settings.controlPorts().of(nodeId);
        // Unresolved: each connection resolves the name again.
        return host == null || port == 0 ? null : ControlAddress.tcp(InetSocketAddress.createUnresolved(host, port));
    }

    public void close() {
        byBroker.values().forEach(ControlEndpoint::close);
    }
}
