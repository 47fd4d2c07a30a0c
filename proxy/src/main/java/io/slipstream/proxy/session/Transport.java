// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.UnixChannelOption;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.slipstream.link.work.LoopTurn;
import io.slipstream.rdma.AdaptiveSpin;
import java.net.StandardSocketOptions;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The event loops and their kind of sockets: epoll if its native library loads, else NIO.
 *
 * @param turns the turn of each event loop
 */
public record Transport(
        String name,
        EventLoopGroup loops,
        Class<? extends ServerSocketChannel> serverChannel,
        Class<? extends SocketChannel> channel,
        Function<EventLoop, LoopTurn> turns)
        implements AutoCloseable {
    /** Without a quiet period, Netty ends a busy loop without closing its channels. */
    private static final long QUIET_MS = 10;

    private static final long SHUTDOWN_MS = 5_000;

    /**
     * @param threads name of the loops' threads
     * @param spinNs longest time that an event loop polls before it sleeps, see {@link AdaptivePoll}; with epoll
     */
    public static Transport start(String threads, int eventLoops, long spinNs) {
        boolean epoll = Epoll.isAvailable();
        IoHandlerFactory handlers = epoll
                ? EpollIoHandler.newFactory(
                        0, () -> new AdaptivePoll(new AdaptiveSpin(spinNs, System::nanoTime, Thread::yield)))
                : NioIoHandler.newFactory();
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(eventLoops, new DefaultThreadFactory(threads), handlers);
        return epoll
                ? new Transport(
                        "epoll", loops, EpollServerSocketChannel.class, EpollSocketChannel.class, LoopTurn.ofEachLoop())
                : new Transport(
                        "nio", loops, NioServerSocketChannel.class, NioSocketChannel.class, LoopTurn.ofEachLoop());
    }

    /** The option of listeners by which another process of this user may listen on the same port. */
    public ChannelOption<Boolean> reusePort() {
        return serverChannel == EpollServerSocketChannel.class
                ? UnixChannelOption.SO_REUSEPORT
                : NioChannelOption.of(StandardSocketOptions.SO_REUSEPORT);
    }

    /** Closes open channels and ends the loops; must not be called on one. */
    @Override
    public void close() {
        loops.shutdownGracefully(QUIET_MS, SHUTDOWN_MS, TimeUnit.MILLISECONDS).awaitUninterruptibly();
    }
}
