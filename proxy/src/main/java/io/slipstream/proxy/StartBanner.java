// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy;

import io.slipstream.proxy.config.ProxyConfig;
import io.slipstream.proxy.config.ProxyKeys;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * The first lines of the log: build, Java version, addresses, and all settings that differ from their defaults, each
 * with its source.
 */
final class StartBanner {
    private StartBanner() {}

    static String of(
            ProxyConfig config,
            String transport,
            String rdma,
            InetSocketAddress clients,
            InetSocketAddress management) {
        StringBuilder block = new StringBuilder("Slipstream ")
                .append(BuildInfo.version())
                .append(" (")
                .append(BuildInfo.revision())
                .append(") serves");
        line(block, "clients", hostAndPort(clients) + ", brokers " + brokerPorts(config));
        line(block, "operators", "http://" + hostAndPort(management));
        line(
                block,
                "brokers",
                String.join(
                        ",",
                        config.bootstrapServers.stream()
                                .map(server -> server.getHostString() + ":" + server.getPort())
                                .toList()));
        line(
                block,
                "RDMA",
                (config.getBoolean(ProxyKeys.RDMA_ENABLED) ? "on" : "off") + ", provider "
                        + config.getString(ProxyKeys.RDMA_PROVIDER) + ", " + rdma);
        line(
                block,
                "Java",
                System.getProperty("java.vm.name") + " " + Runtime.version() + ", process "
                        + ProcessHandle.current().pid() + ", " + transport + ", " + config.eventLoops()
                        + " event loops");
        List<String> changed = config.changed();
        line(block, "settings", changed.isEmpty() ? "the defaults" : "other than the defaults:");
        changed.forEach(setting -> block.append("\n    ").append(setting));
        return block.toString();
    }

    private static String brokerPorts(ProxyConfig config) {
        return config.brokerPortBase() == 0
                ? "on free ports"
                : "on " + config.advertisedHost() + ":" + config.brokerPortBase() + " + node id";
    }

    private static void line(StringBuilder block, String name, String text) {
        block.append("\n  ").append(name).append(": ").append(text);
    }

    static String hostAndPort(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }
}
