package io.slipstream.proxy.fastpath;

import java.util.Map;

/**
 * Where plugins listen for control connections over TCP, on their brokers' hosts.
 *
 * @param usual port of brokers that {@code byNode} does not name; 0: do not look
 * @param byNode port by node id; 0: do not look
 */
public record ControlPorts(int usual, Map<Integer, Integer> byNode) {
    public static final ControlPorts NONE = new ControlPorts(0, Map.of());

    public ControlPorts {
        byNode = Map.copyOf(byNode);
    }

    /** 0 if that broker's plugin is not to be looked for over TCP. */
    public int of(int nodeId) {
        return byNode.getOrDefault(nodeId, usual);
    }
}
