// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy;

import io.slipstream.proxy.config.ProxyConfig;
import io.slipstream.proxy.config.ProxyKeys;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.Collectors;

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
        List<String> changed = config.changed();
        return """
                Slipstream %s (%s) serves
                  clients: %s, brokers %s
                  operators: http://%s
                  brokers: %s
                  RDMA: %s, provider %s, %s
                  Java: %s %s, process %s, %s, %s event loops
                  settings: %s""".formatted(
                BuildInfo.VERSION,
                BuildInfo.REVISION,
                hostAndPort(clients),
                brokerPorts(config),
                hostAndPort(management),
                config.bootstrapServers.stream()
                        .map(server -> server.getHostString() + ":" + server.getPort())
                        .collect(Collectors.joining(",")),
                config.getBoolean(ProxyKeys.RDMA_ENABLED) ? "on" : "off",
                config.getString(ProxyKeys.RDMA_PROVIDER),
                rdma,
                System.getProperty("java.vm.name"),
                Runtime.version(),
                ProcessHandle.current().pid(),
                transport,
                config.eventLoops(),
                changed.isEmpty() ? "the defaults" : "other than the defaults:\n    " + String.join("\n    ", changed));
    }

    private static String brokerPorts(ProxyConfig config) {
        return config.brokerPortBase() == 0
                ? "on free ports"
                : "on " + config.advertisedHost() + ":" + config.brokerPortBase() + " + node id";
    }

    static String hostAndPort(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }
}
