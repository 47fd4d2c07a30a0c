// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.metrics;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.slipstream.broker.config.HostPort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The HTTP port for Prometheus. It has its own thread, so that its clients cannot slow down other parts of the broker.
 * Each connection serves one request. At most {@value #MOST_CONNECTIONS} connections are open; a further one closes the
 * oldest. A request has at most {@value MetricsExchange#MOST_REQUEST_BYTES} bytes. The time from the accept to the last
 * byte of the answer is bounded.
 */
public final class MetricsServer implements AutoCloseable {
    static final int MOST_CONNECTIONS = 16;
    static final long DEADLINE_MS = 10_000;
    private static final int BACKLOG = 64;

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("slipstream-metrics", true), EpollIoHandler.newFactory());
    private final Supplier<String> page;
    private final long deadlineMs;
    /** Open connections, oldest first. Confined to the event loop. */
    private final Set<Channel> open = new LinkedHashSet<>();

    private Channel listener;

    private MetricsServer(Supplier<String> page, long deadlineMs) {
        this.page = page;
        this.deadlineMs = deadlineMs;
    }

    /** Binds the port. Throws IOException, which names the address, if that fails. */
    public static MetricsServer start(HostPort address, Supplier<String> page) throws IOException {
        return start(address, page, DEADLINE_MS);
    }

    static MetricsServer start(HostPort address, Supplier<String> page, long deadlineMs) throws IOException {
        MetricsServer server = new MetricsServer(page, deadlineMs);
        try {
            server.listen(address);
            return server;
        } catch (IOException e) {
            server.close();
            throw e;
        }
    }

    private void listen(HostPort address) throws IOException {
        InetSocketAddress wanted = new InetSocketAddress(address.host(), address.port());
        if (wanted.isUnresolved()) {
            throw new IOException("cannot listen on " + address + ": unknown host");
        }
        try {
            listener = new ServerBootstrap()
                    .group(group)
                    .channel(EpollServerSocketChannel.class)
                    .option(ChannelOption.SO_REUSEADDR, true)
                    .option(ChannelOption.SO_BACKLOG, BACKLOG)
                    .childHandler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            admit(channel);
                        }
                    })
                    .bind(wanted)
                    .sync()
                    .channel();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while binding " + address, e);
        } catch (Exception e) {
            throw new IOException("cannot listen on " + address + ": " + e.getMessage(), e);
        }
    }

    private void admit(Channel channel) {
        if (open.size() == MOST_CONNECTIONS) {
            Iterator<Channel> eldest = open.iterator();
            Channel excess = eldest.next();
            eldest.remove();
            excess.close();
        }
        open.add(channel);
        var deadline = channel.eventLoop().schedule(() -> channel.close(), deadlineMs, TimeUnit.MILLISECONDS);
        channel.closeFuture().addListener(closed -> {
            deadline.cancel(false);
            open.remove(channel);
        });
        channel.pipeline().addLast(new MetricsExchange(page));
    }

    /** Returns the bound address. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    /** Closes the port within a second. Idempotent. */
    @Override
    public void close() {
        if (listener != null) {
            listener.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
        }
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(1, TimeUnit.SECONDS);
    }
}
