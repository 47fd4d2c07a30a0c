package io.slipstream.broker.control;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.slipstream.broker.metrics.PluginCounters;
import io.slipstream.protocol.control.ControlCodec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;

/**
 * Listens on the control socket. One event loop, the <em>control thread</em>: all links and sessions are made and ended on it, so
 * that their tables need no locks.
 */
public final class ControlServer implements AutoCloseable {
    /** More connections than this are refused: a proxy needs one. */
    static final int MAX_CONNECTIONS = 256;

    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("slipstream-control", true), EpollIoHandler.newFactory());
    private Channel listener;
    private Path socket;
    private int connections;

    /** The control thread. */
    public EventLoop eventLoop() {
        return group.next();
    }

    /** Starts to listen. Throws IOException naming the socket if that is impossible. */
    public void listen(Path path, ControlService service, PluginCounters counters) throws IOException {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(group)
                .channel(EpollServerDomainSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        accept(channel, service, counters);
                    }
                });
        try {
            listener = bootstrap
                    .bind(new DomainSocketAddress(path.toFile()))
                    .sync()
                    .channel();
            socket = path;
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Interrupted while binding " + path, e);
        } catch (Exception e) {
            throw new IOException("Cannot listen on " + path + ": " + e.getMessage(), e);
        }
    }

    private void accept(Channel channel, ControlService service, PluginCounters counters) {
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
                .addLast("controlConnection", new ControlConnection(service, counters));
    }

    /** Closes the listener, the connections and the control thread, and removes the socket. Idempotent. */
    @Override
    public void close() {
        if (listener != null) {
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
