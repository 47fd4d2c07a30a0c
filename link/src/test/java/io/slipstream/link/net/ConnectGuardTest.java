// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.ReferenceCountUtil;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ConnectGuardTest {
    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final AtomicBoolean activated = new AtomicBoolean();

    @AfterEach
    void close() {
        loop.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    @Test
    void shouldRefuseAConnectionToItself() throws Exception {
        InetSocketAddress address = freeAddress();
        // The kernel occasionally chooses the destination port as source port; the test forces that.
        ChannelFuture connected = connect(address, address);
        assertThat(connected.await(5, TimeUnit.SECONDS)).isTrue();
        assertThat(connected.cause()).isInstanceOf(ConnectException.class).hasMessageContaining("refused");
        assertThat(connected.channel().closeFuture().await(5, TimeUnit.SECONDS)).isTrue();
        assertThat(activated).isFalse();
        try (ServerSocket broker = new ServerSocket(address.getPort(), 1, address.getAddress())) {
            assertThat(broker.isBound()).as("the broker can have its port").isTrue();
        }
    }

    @Test
    void shouldLetOthersThrough() throws Exception {
        try (ServerSocket broker = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ChannelFuture connected = connect((InetSocketAddress) broker.getLocalSocketAddress(), null);
            assertThat(connected.await(5, TimeUnit.SECONDS)).isTrue();
            assertThat(connected.isSuccess()).isTrue();
            connected.channel().eventLoop().submit(() -> {}).await(5, TimeUnit.SECONDS);
            assertThat(activated).isTrue();
        }
    }

    /**
     * Two sockets become readable at once. The reader of one closes the other and opens a third, which gets the
     * descriptor that has an event left.
     */
    @Test
    void shouldIgnoreAnEventOfAnEarlierSocket() throws Exception {
        assumeTrue(Epoll.isAvailable(), "needs epoll");
        EventLoopGroup epoll = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        try (ServerSocket broker = new ServerSocket(0, 3, InetAddress.getLoopbackAddress())) {
            boolean isSameDescriptor = false;
            for (int attempt = 0; attempt < 100 && !isSameDescriptor; attempt++) {
                isSameDescriptor = reuseADescriptor(epoll, broker);
            }
            assertThat(isSameDescriptor).isTrue();
        } finally {
            epoll.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    /** Returns whether the third socket got the descriptor. */
    private static boolean reuseADescriptor(EventLoopGroup epoll, ServerSocket broker) throws Exception {
        Notes notes = new Notes();
        ChannelFuture one = epollConnect(epoll, broker, notes).sync();
        Socket toOne = broker.accept();
        ChannelFuture two = epollConnect(epoll, broker, notes).sync();
        Socket toTwo = broker.accept();
        int[] descriptors = {
            ((EpollSocketChannel) one.channel()).fd().intValue(),
            ((EpollSocketChannel) two.channel()).fd().intValue()
        };
        CompletableFuture<ChannelFuture> third = notes.firstRead.thenApply(read -> {
            (read == one.channel() ? two : one).channel().close();
            return epollConnect(epoll, broker, notes);
        });
        CountDownLatch sent = new CountDownLatch(1);
        epoll.execute(() -> await(sent));
        toOne.getOutputStream().write(1);
        toTwo.getOutputStream().write(1);
        sent.countDown();

        ChannelFuture connected = third.get(5, TimeUnit.SECONDS);
        assertThat(connected.await(5, TimeUnit.SECONDS)).isTrue();
        assertThat(connected.isSuccess()).as("%s", connected.cause()).isTrue();
        assertThat(notes.failure).hasNullValue();
        int descriptor = ((EpollSocketChannel) connected.channel()).fd().intValue();
        for (Socket each : new Socket[] {toOne, toTwo, broker.accept()}) {
            each.close();
        }
        return descriptor == descriptors[notes.firstRead.get() == one.channel() ? 1 : 0];
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(5, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private ChannelFuture connect(InetSocketAddress remote, InetSocketAddress local) {
        return connect(loop, NioSocketChannel.class, remote, local, new ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext ctx) {
                activated.set(true);
            }
        });
    }

    private static ChannelFuture epollConnect(EventLoopGroup epoll, ServerSocket broker, ChannelHandler last) {
        return connect(epoll, EpollSocketChannel.class, broker.getLocalSocketAddress(), null, last);
    }

    private static ChannelFuture connect(
            EventLoopGroup loop,
            Class<? extends Channel> channel,
            SocketAddress remote,
            SocketAddress local,
            ChannelHandler last) {
        return new Bootstrap()
                .group(loop)
                .channel(channel)
                .option(ChannelOption.SO_REUSEADDR, true)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel opened) {
                        opened.pipeline()
                                .addLast(ConnectGuard.NAME, new ConnectGuard())
                                .addLast(last);
                    }
                })
                .connect(remote, local);
    }

    /** Notes the first channel that reads, and a failure of any. */
    @Sharable
    private static final class Notes extends ChannelInboundHandlerAdapter {
        final CompletableFuture<Channel> firstRead = new CompletableFuture<>();
        final AtomicReference<Throwable> failure = new AtomicReference<>();

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ReferenceCountUtil.release(message);
            firstRead.complete(ctx.channel());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            failure.set(cause);
        }
    }

    private static InetSocketAddress freeAddress() throws Exception {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return (InetSocketAddress) free.getLocalSocketAddress();
        }
    }
}
