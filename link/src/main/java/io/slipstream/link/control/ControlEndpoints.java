// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.control;

import io.slipstream.link.net.NameLookups;
import io.slipstream.link.settings.LinkSettings;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The control channels of all brokers that clients asked for; one for each broker and proxy. Thread-safe. */
public final class ControlEndpoints {
    private final LinkSettings settings;
    private final String proxyId;
    private final NameLookups names;
    private final Map<Broker, ControlEndpoint> byBroker = new ConcurrentHashMap<>();
    /** Hosts that brokers advertise, by node id. */
    private final Map<Integer, String> hosts = new ConcurrentHashMap<>();

    private record Broker(String clusterId, int nodeId) {}

    /** @param names stays open for as long as this is used; closed by who made it */
    public ControlEndpoints(LinkSettings settings, String proxyId, NameLookups names) {
        this.settings = settings;
        this.proxyId = proxyId;
        this.names = names;
    }

    /** A broker advertises that host, now. */
    public void learn(int nodeId, String host) {
        hosts.put(nodeId, host);
    }

    public ControlEndpoint of(String clusterId, int nodeId) {
        return byBroker.computeIfAbsent(
                new Broker(clusterId, nodeId),
                broker -> new ControlEndpoint(
                        clusterId,
                        nodeId,
                        settings.directory(),
                        () -> tcpAddressOf(nodeId),
                        new ControlTrust(
                                settings.transport().device().localPeers(),
                                settings.controlPorts().secret(),
                                settings.controlPorts().tls()),
                        proxyId,
                        names,
                        settings.controlTimeoutNs(),
                        settings.absenceNs()));
    }

    private ControlAddress tcpAddressOf(int nodeId) {
        String host = hosts.get(nodeId);
        int port = settings.controlPorts().of(nodeId);
        return host == null || port == 0 ? null : ControlAddress.tcp(host, port);
    }

    public void close() {
        byBroker.values().forEach(ControlEndpoint::close);
    }
}
