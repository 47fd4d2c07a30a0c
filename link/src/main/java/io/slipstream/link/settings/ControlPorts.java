// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.settings;

import io.netty.handler.ssl.SslHandler;
import io.slipstream.protocol.control.ControlSecret;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.function.Function;

/**
 * TCP ports of the plugins' control channels on their brokers' hosts, and the mutual authentication there.
 *
 * @param usual port of brokers that {@code byNode} does not name; 0: none
 * @param byNode port by node id; 0: none
 * @param secret that both sides must prove; null: none
 * @param tls makes the TLS handler of a connection, on any event loop; null: connections without TLS
 */
public record ControlPorts(
        int usual, Map<Integer, Integer> byNode, ControlSecret secret, Function<InetSocketAddress, SslHandler> tls) {
    public static final ControlPorts NONE = new ControlPorts(0, Map.of(), null, null);

    public ControlPorts {
        byNode = Map.copyOf(byNode);
    }

    /** The port of that broker's plugin; 0 if TCP is not used for it. */
    public int of(int nodeId) {
        return byNode.getOrDefault(nodeId, usual);
    }
}
