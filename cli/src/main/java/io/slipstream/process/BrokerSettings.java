// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * Generates the server.properties of a broker. The broker is also a KRaft controller if it is one of the voters. Pure.
 */
final class BrokerSettings {
    private BrokerSettings() {}

    /** A voter of the controller quorum. */
    record Voter(int nodeId, int controllerPort) {}

    /** An additional listener for clients. */
    record Listener(String name, String securityProtocol, int port) {}

    /**
     * Returns the text of server.properties.
     *
     * @param security protocols of the first listener, which has the name of its protocol, and of CONTROLLER
     * @param brokerPort port of the first listener, on 127.0.0.1
     * @param more additional listeners, on 127.0.0.1
     * @param voters all controllers of the cluster
     * @param extra settings that override the generated ones
     */
    static String serverProperties(
            int nodeId,
            BrokerSecurity security,
            int brokerPort,
            Iterable<Listener> more,
            Iterable<Voter> voters,
            Path logDirectory,
            Map<String, String> extra) {
        Map<String, String> settings = new TreeMap<>();
        StringBuilder quorum = new StringBuilder();
        int controllerPort = -1;
        int count = 0;
        for (Voter voter : voters) {
            quorum.append(quorum.isEmpty() ? "" : ",")
                    .append(voter.nodeId)
                    .append("@127.0.0.1:")
                    .append(voter.controllerPort);
            controllerPort = voter.nodeId == nodeId ? voter.controllerPort : controllerPort;
            count++;
        }
        String replicas = Integer.toString(Math.min(3, count));
        settings.put("node.id", Integer.toString(nodeId));
        boolean controller = controllerPort != -1;
        settings.put("process.roles", controller ? "broker,controller" : "broker");
        settings.put("controller.quorum.voters", quorum.toString());
        settings.put("controller.listener.names", "CONTROLLER");
        String first = security.clients().name;
        String clients = first + "://127.0.0.1:" + brokerPort;
        String protocols = first + ":" + first + ",CONTROLLER:" + security.controllers().name;
        for (Listener listener : more) {
            clients += "," + listener.name + "://127.0.0.1:" + listener.port;
            protocols += "," + listener.name + ":" + listener.securityProtocol;
        }
        settings.put("listeners", controller ? clients + ",CONTROLLER://127.0.0.1:" + controllerPort : clients);
        settings.put("advertised.listeners", clients);
        settings.put("listener.security.protocol.map", protocols);
        settings.put("inter.broker.listener.name", first);
        settings.put("log.dirs", logDirectory.toString());
        settings.put("num.partitions", "1");
        settings.put("default.replication.factor", "1");
        settings.put("offsets.topic.replication.factor", replicas);
        settings.put("offsets.topic.num.partitions", "4");
        settings.put("transaction.state.log.replication.factor", replicas);
        settings.put("transaction.state.log.min.isr", "1");
        settings.put("transaction.state.log.num.partitions", "4");
        settings.put("share.coordinator.state.topic.replication.factor", replicas);
        settings.put("share.coordinator.state.topic.min.isr", "1");
        settings.put("share.coordinator.state.topic.num.partitions", "4");
        settings.put("group.initial.rebalance.delay.ms", "0");
        settings.putAll(extra);
        StringBuilder text = new StringBuilder();
        settings.forEach(
                (key, value) -> text.append(key).append('=').append(value).append('\n'));
        return text.toString();
    }
}
