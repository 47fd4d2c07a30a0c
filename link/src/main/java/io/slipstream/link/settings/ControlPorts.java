// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.settings;

import io.slipstream.protocol.control.ControlSecret;
import java.util.Map;

/**
 * Where plugins listen for control connections over TCP, on their brokers' hosts, and how a proxy and they recognise
 * each other there.
 *
 * @param usual port of brokers that {@code byNode} does not name; 0: do not look
 * @param byNode port by node id; 0: do not look
 * @param secret that both sides prove to have; null: none
 * @param tls null: connections are plain
 */
public record ControlPorts(int usual, Map<Integer, Integer> byNode, ControlSecret secret, ControlTls tls) {
    public static final ControlPorts NONE = new ControlPorts(0, Map.of());

    public ControlPorts(int usual, Map<Integer, Integer> byNode) {
        this(usual, byNode, null);
    }

    public ControlPorts(int usual, Map<Integer, Integer> byNode, ControlSecret secret) {
        this(usual, byNode, secret, null);
    }

    public ControlPorts withTls(ControlTls handlers) {
        return new ControlPorts(usual, byNode, secret, handlers);
    }

    public ControlPorts {
        byNode = Map.copyOf(byNode);
    }

    /** 0 if that broker's plugin is not to be looked for over TCP. */
    public int of(int nodeId) {
        return byNode.getOrDefault(nodeId, usual);
    }
}
