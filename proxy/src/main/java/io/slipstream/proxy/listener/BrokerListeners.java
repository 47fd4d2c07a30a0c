// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.listener;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.slipstream.metrics.Meter;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ports on which clients are served: the bootstrap port, and one per broker at {@code broker.port.base} + node id.
 * A broker that moves keeps its port; new connections go to its new address. Thread-safe.
 */
public final class BrokerListeners implements ClusterTopology.Observer {
    private static final Logger log = LoggerFactory.getLogger(BrokerListeners.class);
    private static final int MAX_PORT = 65535;
    private static final int BACKLOG = 1024;
    private static final int BOOTSTRAP = -1;

    private final ProxyConfig config;
    private final Transport transport;
    private final IntConsumer onBrokerGone;
    private final Map<Integer, Channel> bound = new ConcurrentHashMap<>();
    private volatile SessionContext sessions;
    /** Resolved once: brokers' ports are opened on event loops, which must not resolve names. */
    private volatile InetAddress host;

    private volatile boolean closed;

    /** @param onBrokerGone called after a broker's port was closed */
    public BrokerListeners(ProxyConfig config, Transport transport, MeterRegistry meters, IntConsumer onBrokerGone) {
        this.config = config;
        this.transport = transport;
        this.onBrokerGone = onBrokerGone;
        meters.supply(bound::size, Meter.LISTENERS);
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
        return bind(BOOTSTRAP, config.getInt(ProxyKeys.LISTEN_PORT), ProxyKeys.LISTEN_PORT);
    }

    /** The bootstrap address with the actual port, even if it was chosen by the system. */
    public InetSocketAddress bootstrapAddress() {
        return (InetSocketAddress) bound.get(BOOTSTRAP).localAddress();
    }

    /** The current or future port of that broker; 0 if the system chooses it on opening. */
    public int portOf(int nodeId) {
        int base = config.brokerPortBase();
        if (base != 0) {
            return base + nodeId;
        }
        Channel listener = bound.get(nodeId);
        return listener == null ? 0 : ((InetSocketAddress) listener.localAddress()).getPort();
    }

    @Override
    public CompletableFuture<Void> onBroker(BrokerEndpoint broker) {
        if (bound.containsKey(broker.nodeId())) {
            return CompletableFuture.completedFuture(null);
        }
        int base = config.brokerPortBase();
        return bind(broker.nodeId(), base == 0 ? 0 : base + broker.nodeId(), ProxyKeys.BROKER_PORT_BASE);
    }

    @Override
    public void onBrokerGone(int nodeId) {
        Channel listener = bound.remove(nodeId);
        if (listener != null) {
            listener.close();
        }
        onBrokerGone.accept(nodeId);
    }

    private CompletableFuture<Void> bind(int nodeId, int port, String key) {
        CompletableFuture<Void> result = new CompletableFuture<>();
        if (port > MAX_PORT) {
            result.completeExceptionally(
                    new BindException("port " + port + " of broker " + nodeId + " is above " + MAX_PORT, key));
            return result;
        }
        new ServerBootstrap()
                .group(transport.loops())
                .channel(transport.serverChannel())
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
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
                .bind(host, port)
                .addListener((ChannelFuture binding) -> onBound(binding, nodeId, port, key, result));
        return result;
    }

    private void onBound(ChannelFuture binding, int nodeId, int port, String key, CompletableFuture<Void> result) {
        if (!binding.isSuccess()) {
            String what = "cannot listen on " + config.getString(ProxyKeys.LISTEN_HOST) + ":" + port
                    + ", is it in use? (" + binding.cause().getMessage() + ")";
            log.error("{}; key {}", what, key);
            result.completeExceptionally(new BindException(what, key));
            return;
        }
        Channel before = bound.put(nodeId, binding.channel());
        if (before != null) {
            before.close();
        }
        if (closed) {
            binding.channel().close();
        }
        result.complete(null);
    }

    /** Refuses new clients; existing connections stay. */
    public void close() {
        closed = true;
        bound.values().forEach(Channel::close);
    }
}
