// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SelfConnectGuardTest {
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

    private ChannelFuture connect(InetSocketAddress remote, InetSocketAddress local) {
        return new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.SO_REUSEADDR, true)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline()
                                .addLast(SelfConnectGuard.NAME, new SelfConnectGuard())
                                .addLast(new ChannelInboundHandlerAdapter() {
                                    @Override
                                    public void channelActive(ChannelHandlerContext ctx) {
                                        activated.set(true);
                                    }
                                });
                    }
                })
                .connect(remote, local);
    }

    private static InetSocketAddress freeAddress() throws Exception {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return (InetSocketAddress) free.getLocalSocketAddress();
        }
    }
}
