// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.management;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ManagementConnectionsTest {
    private static final byte[] BYTE = {'G'};

    @Test
    void shouldCloseTheOneThatWasQuietTheLongest() {
        ManagementConnections connections = new ManagementConnections(2);
        EmbeddedChannel first = new EmbeddedChannel();
        EmbeddedChannel second = new EmbeddedChannel();
        EmbeddedChannel third = new EmbeddedChannel();
        connections.add(first);
        connections.add(second);

        connections.onRequest(first);
        connections.add(third);

        assertThat(second.isOpen()).as("quiet").isFalse();
        assertThat(first.isOpen()).as("asked for a page since").isTrue();
        assertThat(third.isOpen()).as("new").isTrue();
        third.close();
        assertThat(connections.open.size()).isOne();
        first.close();
        connections.onRequest(first);
        assertThat(connections.open.size()).as("closed ones are forgotten").isZero();
    }

    @Test
    void shouldCloseWhoNeverFinishesARequest() {
        RequestDeadline deadline = new RequestDeadline();
        EmbeddedChannel channel = new EmbeddedChannel(deadline);
        channel.freezeTime();

        trickle(channel, 9_000);
        assertThat(channel.isOpen()).isTrue();
        trickle(channel, 1_001);
        assertThat(channel.isOpen())
                .as("10 s after the first byte, a moment after the last")
                .isFalse();
    }

    @Test
    void shouldLetOthersRestBetweenRequests() {
        RequestDeadline deadline = new RequestDeadline();
        EmbeddedChannel channel = new EmbeddedChannel(deadline);
        channel.freezeTime();

        trickle(channel, 9_000);
        deadline.onRequest();
        channel.advanceTimeBy(60, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
        assertThat(channel.isOpen()).as("idle").isTrue();
        trickle(channel, 10_001);
        assertThat(channel.isOpen()).as("a second request that does not end").isFalse();
    }

    private static void trickle(EmbeddedChannel channel, long thenMs) {
        ByteBuf one = Unpooled.wrappedBuffer(BYTE);
        channel.writeInbound(one);
        ReferenceCountUtil.release(channel.readInbound());
        channel.advanceTimeBy(thenMs, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
    }
}
