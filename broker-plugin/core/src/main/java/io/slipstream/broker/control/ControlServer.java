package io.slipstream.broker.control;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.slipstream.broker.config.HostPort;
import io.slipstream.broker.metrics.PluginCounters;
import io.slipstream.protocol.control.ControlCodec;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Listens on the control socket, and on TCP where that is asked for. One event loop, the <em>control thread</em>: all links and sessions are
 * made and ended on it, so that their tables need no locks.
 *
 * <p>Each listener has its own bound of connections, so that whoever reaches the port cannot shut out local proxies. A TCP peer whose host
 * went silent is found by keep-alive; one that does not say Hello, or does not read, by {@link ControlConnection}.
 */
public final class ControlServer implements AutoCloseable {
    /** More connections than this on one listener are refused: a proxy needs one. */
    static final int MAX_CONNECTIONS = 256;

    private static final int KEEP_ALIVE_IDLE_S = 20;
    private static final int KEEP_ALIVE_INTERVAL_S = 10;
    private static final int KEEP_ALIVE_PROBES = 3;
    private static final int UNACKNOWLEDGED_TIMEOUT_MS = 30_000;

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("slipstream-control", true), EpollIoHandler.newFactory());
    private final List<Channel> listeners = new ArrayList<>();
    private Path socket;

    /** The control thread. */
    public EventLoop eventLoop() {
        return group.next();
    }

    /** Starts to listen on a socket. Throws IOException naming it if that is impossible. */
    public void listen(Path path, ControlService service, PluginCounters counters) throws IOException {
        ServerBootstrap bootstrap = new ServerBootstrap().channel(EpollServerDomainSocketChannel.class);
        bind(bootstrap, new DomainSocketAddress(path.toFile()), path.toString(), service, counters);
        socket = path;
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
    }

    /** Starts to listen on TCP; returns where. Throws IOException naming the address if that is impossible. */
    public InetSocketAddress listen(HostPort address, ControlService service, PluginCounters counters)
            throws IOException {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .channel(EpollServerSocketChannel.class)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(EpollChannelOption.TCP_KEEPIDLE, KEEP_ALIVE_IDLE_S)
                .childOption(EpollChannelOption.TCP_KEEPINTVL, KEEP_ALIVE_INTERVAL_S)
                .childOption(EpollChannelOption.TCP_KEEPCNT, KEEP_ALIVE_PROBES)
                .childOption(EpollChannelOption.TCP_USER_TIMEOUT, UNACKNOWLEDGED_TIMEOUT_MS);
        InetSocketAddress wanted = new InetSocketAddress(address.host(), address.port());
        if (wanted.isUnresolved()) {
            throw new IOException("Cannot listen on " + address + ": the host is not known");
        }
        return (InetSocketAddress) bind(bootstrap, wanted, address.toString(), service, counters);
    }

    private SocketAddress bind(
            ServerBootstrap bootstrap,
            SocketAddress address,
            String name,
            ControlService service,
            PluginCounters counters)
            throws IOException {
        bootstrap.group(group).childHandler(new Acceptor(service, counters));
        try {
            Channel listener = bootstrap.bind(address).sync().channel();
            listeners.add(listener);
            return listener.localAddress();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Interrupted while binding " + name, e);
        } catch (Exception e) {
            throw new IOException("Cannot listen on " + name + ": " + e.getMessage(), e);
        }
    }

    /** Sets up a listener's connections. Confined to the control thread. */
    private static final class Acceptor extends ChannelInitializer<Channel> {
        private final ControlService service;
        private final PluginCounters counters;
        private final WarningLimit warnings = new WarningLimit();
        private int connections;

        Acceptor(ControlService service, PluginCounters counters) {
            this.service = service;
            this.counters = counters;
        }

        @Override
        protected void initChannel(Channel channel) {
            if (connections >= MAX_CONNECTIONS) {
                channel.close();
                return;
            }
            connections++;
            channel.closeFuture().addListener(closed -> connections--);
            channel.pipeline()
                    .addLast(
                            "frameDecoder",
                            new LengthFieldBasedFrameDecoder(ControlCodec.MAX_FRAME_BYTES + Integer.BYTES, 0, 4, 0, 4))
                    .addLast("controlConnection", new ControlConnection(service, counters, warnings));
        }
    }

    /** Closes the listeners, the connections and the control thread, and removes the socket. Idempotent. */
    @Override
    public void close() {
        for (Channel listener : listeners) {
            listener.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
        }
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS);
        if (socket != null) {
            try {
                Files.deleteIfExists(socket);
            } catch (IOException e) {
                // A stale socket is replaced by the next start.
            }
        }
    }
}
