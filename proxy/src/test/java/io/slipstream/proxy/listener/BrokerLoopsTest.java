// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BrokerLoopsTest {
    private final MultiThreadIoEventLoopGroup all = new MultiThreadIoEventLoopGroup(3, NioIoHandler.newFactory());
    private final Set<EventLoop> saturated = new HashSet<>();
    private final BrokerLoops loops = new BrokerLoops(all, saturated::contains);

    @AfterEach
    void stop() {
        all.shutdownGracefully();
    }

    @Test
    void shouldSpreadBrokersAndKeepTheirHomes() {
        Set<EventLoop> homes = new HashSet<>();
        IntStream.of(17, 20, 23).forEach(broker -> homes.add(loops.homeOf(broker)));
        assertThat(homes).hasSize(3);
        assertThat(loops.homeOf(17)).isSameAs(loops.homeOf(17));
    }

    @Test
    void shouldServeAllClientsOfABrokerOnItsHomeLoop() throws InterruptedException {
        for (int i = 0; i < 5; i++) {
            assertThat(register(1)).isSameAs(loops.homeOf(1));
        }
    }

    @Test
    void shouldServeNewClientsElsewhereWhileTheHomeLoopIsSaturated() throws InterruptedException {
        EventLoop home = loops.homeOf(1);
        saturated.add(home);
        EventLoop second = register(1);
        assertThat(second).isNotSameAs(home);
        assertThat(register(1)).as("the links of a broker are few").isSameAs(second);
        saturated.add(second);
        EventLoop third = register(1);
        assertThat(third).isNotIn(home, second);
        saturated.add(third);
        assertThat(register(1)).as("all are saturated").isSameAs(home);
        saturated.clear();
        assertThat(register(1)).isSameAs(home);
    }

    /** Registers a channel as Netty registers an accepted one. */
    private EventLoop register(int broker) throws InterruptedException {
        Channel client = new NioSocketChannel();
        loops.ofClients(broker).register(client).sync();
        EventLoop loop = client.eventLoop();
        client.close().sync();
        return loop;
    }
}
