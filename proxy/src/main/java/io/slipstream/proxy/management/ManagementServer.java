// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.management;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.slipstream.proxy.config.ProxyConfig;
import io.slipstream.proxy.config.ProxyKeys;
import io.slipstream.proxy.listener.BindException;
import io.slipstream.proxy.session.Transport;
import java.net.InetSocketAddress;

/** The HTTP port for operators; {@link ManagementHandler} serves its pages. */
public final class ManagementServer {
    private static final int MAX_BODY_BYTES = 8192;
    private static final int IDLE_SECONDS = 60;
    /** A scrape takes one connection, and so does a probe. */
    static final int MAX_CONNECTIONS = 64;

    /** Its own, so that pages cost clients nothing and are there when the event loops of clients stall. */
    private final Transport transport;

    private final Channel listener;

    private ManagementServer(Transport transport, Channel listener) {
        this.transport = transport;
        this.listener = listener;
    }

    /** Blocks until the port is open. */
    public static ManagementServer start(ProxyConfig config, ManagementPages pages) throws InterruptedException {
        Transport transport = Transport.start("slipstream-management", 1, 0);
        ManagementConnections connections = new ManagementConnections(MAX_CONNECTIONS);
        AllowedHosts hosts = new AllowedHosts(
                config.getString(ProxyKeys.MANAGEMENT_HOST), config.getList(ProxyKeys.MANAGEMENT_NAMES));
        var binding = new ServerBootstrap()
                .group(transport.loops())
                .channel(transport.serverChannel())
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        connections.add(channel);
                        RequestDeadline deadline = new RequestDeadline();
                        channel.pipeline()
                                .addLast(new ReadTimeoutHandler(IDLE_SECONDS))
                                .addLast(deadline)
                                .addLast(new HttpServerCodec())
                                .addLast(new HttpObjectAggregator(MAX_BODY_BYTES))
                                .addLast(new ManagementHandler(pages, hosts, connections, deadline));
                    }
                })
                .bind(config.getString(ProxyKeys.MANAGEMENT_HOST), config.getInt(ProxyKeys.MANAGEMENT_PORT))
                .await();
        if (!binding.isSuccess()) {
            transport.close();
            String address =
                    config.getString(ProxyKeys.MANAGEMENT_HOST) + ":" + config.getInt(ProxyKeys.MANAGEMENT_PORT);
            throw BindException.inUse(address, binding.cause(), ProxyKeys.MANAGEMENT_PORT);
        }
        return new ManagementServer(transport, binding.channel());
    }

    public InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    public void close() {
        transport.close();
    }
}
