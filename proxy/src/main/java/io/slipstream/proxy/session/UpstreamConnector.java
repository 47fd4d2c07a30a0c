// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.util.concurrent.Future;
import io.slipstream.link.meter.DisconnectCause;
import io.slipstream.link.net.ConnectGuard;
import io.slipstream.link.net.TlsFailure;
import io.slipstream.proxy.buffer.PooledMemory;
import io.slipstream.proxy.config.ProxyKeys;
import io.slipstream.proxy.tls.Encryption;
import io.slipstream.proxy.tls.Handshake;
import io.slipstream.proxy.topology.BrokerEndpoint;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Connects a client session to its broker. On a broker's port it connects to that broker. On the bootstrap port it
 * connects to the first that answers of the bootstrap servers, from a random start, and then of the known brokers.
 * Names are replaced by all their addresses. Confined to the event loop.
 */
final class UpstreamConnector {
    private final SessionContext context;
    private final ClientSession session;
    private final List<InetSocketAddress> candidates;
    private int next;
    /** Why TLS failed in the last attempt; null if it did not. */
    private String tlsFailure;
    /** Why the last connect failed. */
    private Throwable connectFailure;

    UpstreamConnector(SessionContext context, ClientSession session) {
        this.context = context;
        this.session = session;
        this.candidates = candidates(context, session.nodeId());
    }

    private static List<InetSocketAddress> candidates(SessionContext context, int nodeId) {
        List<InetSocketAddress> addresses = new ArrayList<>();
        if (nodeId >= 0) {
            BrokerEndpoint broker = context.topology.broker(nodeId);
            if (broker != null) {
                addresses.add(InetSocketAddress.createUnresolved(broker.host(), broker.port()));
            }
            return addresses;
        }
        addresses.addAll(context.config.bootstrapServers);
        Collections.rotate(addresses, ThreadLocalRandom.current().nextInt(addresses.size()));
        for (BrokerEndpoint broker : context.topology.brokers()) {
            InetSocketAddress address = InetSocketAddress.createUnresolved(broker.host(), broker.port());
            if (!addresses.contains(address)) {
                addresses.add(address);
            }
        }
        return addresses;
    }

    void connect() {
        if (next == candidates.size()) {
            giveUp();
            return;
        }
        InetSocketAddress address = candidates.get(next++);
        if (address.isUnresolved()) {
            resolve(address);
            return;
        }
        new Bootstrap()
                .group(session.eventLoop())
                .channel(context.transport.channel())
                .option(ChannelOption.ALLOCATOR, PooledMemory.ALLOCATOR)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                // Brokers send only answers, but a handshake must be read at once.
                .option(ChannelOption.AUTO_READ, context.encryption.isTowardsBrokers())
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, context.config.getInt(ProxyKeys.CONNECT_TIMEOUT_MS))
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(ConnectGuard.NAME, new ConnectGuard());
                        if (context.encryption.isTowardsBrokers()) {
                            channel.pipeline()
                                    .addLast(Encryption.HANDLER, context.encryption.towardsBroker(address))
                                    .addLast(new Handshake(failure -> onHandshaken(channel, address, failure)));
                        } else {
                            addSession(channel);
                        }
                    }
                })
                .connect(address)
                .addListener((ChannelFuture connected) -> onCompleted(connected, address));
    }

    private void resolve(InetSocketAddress name) {
        context.names
                .addressesOf(name, session.eventLoop(), context.config.getInt(ProxyKeys.CONNECT_TIMEOUT_MS))
                .addListener((Future<List<InetSocketAddress>> found) -> {
                    if (found.isSuccess()) {
                        candidates.addAll(next, found.getNow());
                    } else {
                        tlsFailure = null;
                        connectFailure = found.cause();
                    }
                    connect();
                });
    }

    private void giveUp() {
        if (tlsFailure != null) {
            session.close(DisconnectCause.UPSTREAM_TLS, tlsFailure);
            return;
        }
        session.close(
                DisconnectCause.UPSTREAM_UNREACHABLE,
                candidates.isEmpty()
                        ? "its address is not known"
                        : "no connection to " + candidates + ": " + connectFailure.getMessage());
    }

    private void addSession(Channel channel) {
        UpstreamConnection upstream = new UpstreamConnection(channel, session, session.responses);
        int maxBytes = context.config.getInt(ProxyKeys.MAX_RESPONSE_BYTES);
        channel.pipeline()
                .addLast("frames", new FrameDecoder(maxBytes, context.outbound, upstream))
                .addLast("upstream", upstream);
    }

    private void onCompleted(ChannelFuture connected, InetSocketAddress address) {
        if (!connected.isSuccess()) {
            tlsFailure = null;
            connectFailure = connected.cause();
            connect();
        } else if (!context.encryption.isTowardsBrokers()) {
            onConnected(connected.channel(), address);
            connected.channel().config().setAutoRead(true);
        }
    }

    private void onHandshaken(Channel channel, InetSocketAddress address, Throwable failure) {
        if (failure == null) {
            addSession(channel);
            onConnected(channel, address);
        } else {
            tlsFailure = "TLS with " + address + ": " + TlsFailure.describe(failure);
            connect();
        }
    }

    private void onConnected(Channel channel, InetSocketAddress address) {
        context.meters.upstreams.increment();
        context.meters.upstreamsOpened.increment();
        channel.closeFuture().addListener(closed -> context.meters.upstreams.decrement());
        UpstreamConnection connection = channel.pipeline().get(UpstreamConnection.class);
        session.onConnected(connection, context.topology.nodeAt(address.getHostString(), address.getPort()));
    }
}
