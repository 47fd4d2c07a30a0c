// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import io.netty.buffer.ByteBufAllocator;
import io.slipstream.broker.config.HostPort;
import io.slipstream.broker.config.PluginConfig;
import io.slipstream.broker.config.PluginKeys;
import io.slipstream.broker.control.ControlEncryption;
import io.slipstream.broker.kafka.BrokerHandle;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.link.BrokerLink;
import io.slipstream.link.Devices;
import io.slipstream.link.LinkEnvironment;
import io.slipstream.link.LinkMeters;
import io.slipstream.link.control.ControlEndpoints;
import io.slipstream.link.memory.LoopMemory;
import io.slipstream.link.meter.Meter;
import io.slipstream.link.net.NameLookups;
import io.slipstream.link.settings.ControlPorts;
import io.slipstream.link.settings.LinkSettings;
import io.slipstream.link.settings.TransportSettings;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.protocol.tls.TlsDefinition;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The links from this broker to the plugins of leaders, one for each leader. All fetchers of a leader share its link,
 * and drive its loop while they wait. Leaders are found as proxies find brokers: by the socket in the same directory,
 * else by TCP on the leader's host, at the port at which this broker's own plugin listens. Any thread.
 */
final class LeaderLinks implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LeaderLinks.class);
    private static final long MS = 1_000_000L;
    private static final long CLOSE_NS = 1_000 * MS;
    /** A fetcher has one request at a time, so this is more than one for each. */
    private static final int MOST_CREDITS = 64;

    private static final int MOST_REPLY_RING_BYTES = 4 << 20;
    /** Nothing is read but leases. */
    private static final int READ_MEMORY_BYTES = 1 << 16;

    private final String clusterId;
    private final LoopKeeper keeper = new LoopKeeper();
    private final NameLookups names = new NameLookups();
    // The meters of links have the names of a proxy's; a broker has meters of its own for them.
    private final MeterRegistry registry = new MeterRegistry(Meter.values());
    private final Devices devices;
    /** Null without TLS. */
    private final ControlEncryption tls;

    private final ControlEndpoints endpoints;
    private final LinkEnvironment environment;
    private final Map<Integer, Leader> leaders = new ConcurrentHashMap<>();
    private final MeterRegistry.Registration gauge;

    /** The link to one leader, which belongs to the loop. */
    record Leader(DrivenLoop loop, LoopMemory memory, BrokerLink link) {}

    LeaderLinks(BrokerHandle broker, ReplicationMeters meters) {
        PluginConfig config = broker.config();
        HostPort own = config.control().address("shm".equals(config.provider()) ? "shm" : "verbs");
        // Without a listener of its own, a broker reaches other plugins by sockets only.
        tls = own == null ? null : tls(config.control().tls());
        LinkSettings settings = settings(config, own, tls);
        LinkMeters linkMeters = new LinkMeters(registry);
        clusterId = broker.clusterId();
        devices = new Devices(settings.transport(), registry);
        endpoints = new ControlEndpoints(settings, "broker-" + broker.nodeId(), names);
        environment = new LinkEnvironment(settings, devices, linkMeters, keeper, ByteBufAllocator.DEFAULT);
        gauge = meters.registry.supply(linkMeters.linksUp::sum, PluginMeter.REPLICATION_LINKS);
    }

    /** The settings of this broker's own listener serve it as a client of other plugins, too. */
    private static ControlEncryption tls(Map<String, Object> values) {
        if (values != null && !TlsDefinition.hasTrust(values)) {
            log.warn(
                    "{} is not set: followers fetch by RDMA only from leaders whose control channel has a certificate of"
                            + " a public authority, or is a socket on this host",
                    PluginKeys.CONTROL_TLS.key("ssl.truststore.*"));
        }
        return values == null ? null : new ControlEncryption(values);
    }

    private static LinkSettings settings(PluginConfig config, HostPort own, ControlEncryption tls) {
        ControlPorts ports = own == null
                ? ControlPorts.NONE
                : new ControlPorts(
                        own.port(), Map.of(), config.control().secret(), tls == null ? null : tls::towardsPlugin);
        // A leader refuses more than its own settings allow, and those are usually the same at all brokers.
        int credits = Math.min(MOST_CREDITS, config.ringCredits());
        return new LinkSettings(
                new TransportSettings(config.provider(), config.device(), TransportSettings.SPIN_NS, READ_MEMORY_BYTES),
                config.directory(),
                ports,
                Math.min(MOST_REPLY_RING_BYTES, config.ringBytes()),
                credits,
                credits,
                500 * MS,
                5_000 * MS,
                100 * MS,
                10_000 * MS,
                1_000 * MS,
                300_000 * MS);
    }

    /** @param host at which this broker reaches the leader */
    Leader to(int nodeId, String host) {
        endpoints.learn(nodeId, host);
        return leaders.computeIfAbsent(nodeId, this::open);
    }

    private Leader open(int nodeId) {
        DrivenLoop loop = keeper.newLoop();
        LoopMemory memory = new LoopMemory(loop, READ_MEMORY_BYTES, environment.allocator(), keeper, registry);
        return new Leader(
                loop, memory, new BrokerLink(loop.links, environment, endpoints.of(clusterId, nodeId), memory));
    }

    /** Ends all links and waits a moment for it. */
    @Override
    public void close() {
        gauge.close();
        boolean isQuiet = keeper.close(this::end, CLOSE_NS);
        names.close();
        if (tls != null) {
            tls.close();
        }
        if (isQuiet) {
            devices.close();
        } else {
            log.warn("links to leaders did not end within {} ms; their memory stays registered", CLOSE_NS / MS);
        }
    }

    /** The keeper's thread, which drives all loops. */
    private boolean end(long deadlineNs) {
        boolean isEnded = true;
        for (Leader leader : leaders.values()) {
            CompletableFuture<Void> end = leader.link.close().thenCompose(ended -> leader.memory.close());
            while (!end.isDone() && System.nanoTime() - deadlineNs < 0) {
                keeper.runTasks();
                leader.loop.run(MS);
            }
            isEnded &= end.isDone();
        }
        endpoints.close();
        return isEnded;
    }
}
