// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.listener;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.slipstream.link.meter.Meter;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.proxy.buffer.PooledMemory;
import io.slipstream.proxy.config.ProxyConfig;
import io.slipstream.proxy.config.ProxyKeys;
import io.slipstream.proxy.session.ClientAdmission;
import io.slipstream.proxy.session.SessionContext;
import io.slipstream.proxy.session.Transport;
import io.slipstream.proxy.topology.BrokerEndpoint;
import io.slipstream.proxy.topology.ClusterTopology;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;
import java.util.function.Predicate;

/**
 * The ports on which clients are served: the bootstrap port, and one per broker at {@code broker.port.base} + node id.
 * A broker that moves keeps its port; new connections go to its new address. Thread-safe.
 */
public final class BrokerListeners implements ClusterTopology.Observer {
    private static final int MAX_PORT = 65535;
    private static final int BACKLOG = 1024;
    private static final int BOOTSTRAP = -1;

    private final ProxyConfig config;
    private final Transport transport;
    private final BrokerLoops loops;
    private final IntConsumer onBrokerGone;
    private final Map<Integer, BrokerPort> ports = new ConcurrentHashMap<>();
    private volatile Channel bootstrap;
    private volatile SessionContext sessions;
    /** Resolved once: brokers' ports are opened on event loops, which must not resolve names. */
    private volatile InetAddress host;

    private volatile boolean closed;

    /** @param onBrokerGone called after a broker's port was closed */
    public BrokerListeners(
            ProxyConfig config,
            Transport transport,
            BrokerLoops loops,
            MeterRegistry meters,
            IntConsumer onBrokerGone) {
        this.config = config;
        this.transport = transport;
        this.loops = loops;
        this.onBrokerGone = onBrokerGone;
        meters.supply(() -> (bootstrap == null ? 0 : 1) + count(port -> port.number() != 0), Meter.LISTENERS);
        meters.supply(() -> count(port -> port.obstacle != null), Meter.BROKERS_UNSERVED);
    }

    private long count(Predicate<BrokerPort> condition) {
        return ports.values().stream().filter(condition).count();
    }

    /** Resolves the host, which may block, and binds the bootstrap port. */
    public CompletableFuture<Void> start(SessionContext context) {
        sessions = context;
        host = new InetSocketAddress(config.getString(ProxyKeys.LISTEN_HOST), 0).getAddress();
        if (host == null) {
            return CompletableFuture.failedFuture(new BindException(
                    "cannot listen on " + config.getString(ProxyKeys.LISTEN_HOST) + ": the name is unknown",
                    ProxyKeys.LISTEN_HOST));
        }
        CompletableFuture<Void> started = new CompletableFuture<>();
        int port = config.getInt(ProxyKeys.LISTEN_PORT);
        bind(BOOTSTRAP, port, transport.loops(), transport.loops()).addListener((ChannelFuture done) -> {
            if (done.isSuccess()) {
                bootstrap = done.channel();
                started.complete(null);
            } else {
                started.completeExceptionally(BindException.inUse(address(port), done.cause(), ProxyKeys.LISTEN_PORT));
            }
        });
        return started;
    }

    /** The bootstrap address with the actual port, even if it was chosen by the system. */
    public InetSocketAddress bootstrapAddress() {
        return (InetSocketAddress) bootstrap.localAddress();
    }

    /** The open port of that broker; 0 if this proxy holds none for it. */
    public int portOf(int nodeId) {
        BrokerPort port = ports.get(nodeId);
        return port == null ? 0 : port.number();
    }

    /** Why clients are not told of a known broker; null if all of them can be served. */
    public String obstacle() {
        return ports.values().stream()
                .map(port -> port.obstacle)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    @Override
    public CompletableFuture<Void> onBroker(BrokerEndpoint broker) {
        BrokerPort port = ports.get(broker.nodeId());
        return (port == null ? open(broker.nodeId()) : port).tried;
    }

    @Override
    public void onBrokerGone(int nodeId) {
        BrokerPort port = ports.remove(nodeId);
        if (port != null) {
            port.close();
        }
        onBrokerGone.accept(nodeId);
    }

    private BrokerPort open(int nodeId) {
        int base = config.brokerPortBase();
        int number = base == 0 ? 0 : base + nodeId;
        EventLoop home = loops.homeOf(nodeId);
        BrokerPort port = new BrokerPort(
                nodeId, address(number), home, () -> bind(nodeId, number, home, loops.ofClients(nodeId)));
        ports.put(nodeId, port);
        if (closed) {
            port.close();
        } else if (base != 0 && nodeId > MAX_PORT - base) {
            port.onFailed(new BindException(
                    "its port, " + base + " + " + nodeId + ", is above " + MAX_PORT, ProxyKeys.BROKER_PORT_BASE));
        } else {
            port.open();
        }
        return port;
    }

    private String address(int port) {
        return config.getString(ProxyKeys.LISTEN_HOST) + ":" + port;
    }

    private ChannelFuture bind(int nodeId, int port, EventLoopGroup listening, EventLoopGroup clients) {
        return new ServerBootstrap()
                .group(listening, clients)
                .channel(transport.serverChannel())
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(transport.reusePort(), config.getBoolean(ProxyKeys.LISTEN_REUSE_PORT))
                .childOption(ChannelOption.ALLOCATOR, PooledMemory.ALLOCATOR)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        ClientAdmission.admit(sessions, channel, nodeId);
                    }
                })
                .bind(host, port);
    }

    /** Refuses new clients; existing connections stay. */
    public void close() {
        closed = true;
        if (bootstrap != null) {
            bootstrap.close();
        }
        ports.values().forEach(BrokerPort::close);
    }
}
