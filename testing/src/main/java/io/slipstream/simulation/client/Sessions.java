// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.client;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.FastThreadLocal;
import io.slipstream.link.meter.Meter;
import io.slipstream.link.net.NameLookups;
import io.slipstream.link.work.LoopTurn;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.proxy.buffer.OutboundBudget;
import io.slipstream.proxy.config.ProxyConfig;
import io.slipstream.proxy.config.ProxyKeys;
import io.slipstream.proxy.count.PartitionTables;
import io.slipstream.proxy.session.ClientSession;
import io.slipstream.proxy.session.ResponseAdapter;
import io.slipstream.proxy.session.SessionContext;
import io.slipstream.proxy.session.SessionRegistry;
import io.slipstream.proxy.session.Transport;
import io.slipstream.proxy.spi.FastPath;
import io.slipstream.proxy.spi.FastPathFactory;
import io.slipstream.proxy.tls.Encryption;
import io.slipstream.proxy.topology.BrokerEndpoint;
import io.slipstream.proxy.topology.ClusterTopology;
import io.slipstream.simulation.PlainSocket;
import io.slipstream.simulation.SimulatedChannel;
import io.slipstream.simulation.broker.Broker;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;

/** What the client sessions of all proxies share that count into one registry, as the proxy's main class sets it up. */
public final class Sessions implements FastPathFactory {
    private static final ProxyConfig CONFIG = ProxyConfig.of(Map.of(ProxyKeys.BOOTSTRAP_SERVERS, "broker:9092"));
    private static final int MOST_BROKERS = 3;
    private static final int BASE_PORT = 9092;

    private final MeterRegistry registry;
    private final SessionRegistry open = new SessionRegistry();
    private final SessionContext context;
    final Function<EventLoop, LoopTurn> turns = LoopTurn.ofEachLoop();
    private Proxy living;

    public Sessions(MeterRegistry registry) {
        this.registry = registry;
        ClusterTopology topology = new ClusterTopology(new NoObserver(), Long.MAX_VALUE, registry);
        topology.learnAll(
                Broker.CLUSTER,
                IntStream.rangeClosed(1, MOST_BROKERS)
                        .mapToObj(node -> new BrokerEndpoint(node, "broker", BASE_PORT + node))
                        .toList());
        this.context = new SessionContext(
                CONFIG,
                new Transport("simulated", null, null, channelType(), turns),
                topology,
                new Unadapted(),
                this,
                registry,
                open,
                new Encryption(CONFIG),
                new NameLookups(),
                new PartitionTables(),
                new OutboundBudget(CONFIG.maxOutboundBytes(), registry));
    }

    @SuppressWarnings("unchecked")
    private static Class<? extends SocketChannel> channelType() {
        return (Class<? extends SocketChannel>) (Class<?>) SimulatedChannel.class;
    }

    private static final class NoObserver implements ClusterTopology.Observer {
        @Override
        public CompletableFuture<Void> onBroker(BrokerEndpoint broker) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void onBrokerGone(int nodeId) {}
    }

    private static final class Unadapted implements ResponseAdapter {
        @Override
        public boolean adapts(short apiKey, short apiVersion) {
            return false;
        }

        @Override
        public Adapted adapt(short apiKey, short apiVersion, ByteBuf payload, Channel client) {
            return Adapted.UNCHANGED;
        }
    }

    MeterRegistry registry() {
        return registry;
    }

    void started(Proxy proxy) {
        living = proxy;
    }

    /** Returns the broker whose Kafka listener has that port. */
    public static int nodeOf(int port) {
        return port - BASE_PORT;
    }

    /** Serves a client of that broker; on the event loop. */
    void serve(PlainSocket client, int node, Proxy proxy) {
        SimulatedChannel channel = SimulatedChannel.accept(client, proxy.loop(), proxy.allocator());
        new ClientSession(context, channel, node).start();
    }

    /** Returns the number of sessions that are not closed, or have answers to write. */
    int unfinished() {
        return open.unfinished();
    }

    @Override
    public FastPath open(ClientConnection connection) {
        return living.open(connection);
    }

    @Override
    public boolean isEnabled() {
        return true;
    }

    /** Returns the bytes served that were read for another consumer. */
    public long sharedBytes() {
        return registry.value(Meter.SHARED_READ_BYTES);
    }

    /** Returns the sum of links, sessions, grants, waiting fetches, bytes of answers, clients and their requests. */
    public long openGauges() {
        return registry.value(Meter.LINKS_UP)
                + registry.value(Meter.SESSIONS_BOUND)
                + registry.value(Meter.GRANTS)
                + registry.value(Meter.FETCH_WAITS)
                + registry.value(Meter.PREFETCHED_BYTES)
                + registry.value(Meter.REQUESTS_IN_FLIGHT)
                + registry.value(Meter.OUTBOUND_BYTES, "read")
                + registry.value(Meter.OUTBOUND_BYTES, "received")
                + registry.value(Meter.OUTBOUND_BYTES, "unsent")
                + registry.value(Meter.CONNECTIONS, "client")
                + registry.value(Meter.CONNECTIONS, "upstream");
    }

    /** Gives up what threads keep for these sessions. */
    public void forget() {
        FastThreadLocal.removeAll();
    }
}
