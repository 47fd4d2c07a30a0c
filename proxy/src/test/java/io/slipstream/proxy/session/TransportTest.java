// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class TransportTest {
    /** Netty itself does not: its buffers leaked, and its peer was not notified. */
    @Test
    void shouldCloseConnectionsOfALoopThatIsBusyWhenItEnds() throws Exception {
        Transport transport = Transport.start("slipstream-loop", 1, 0);
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            new Bootstrap()
                    .group(transport.loops())
                    .channel(transport.channel())
                    .handler(new ChannelInboundHandlerAdapter())
                    .connect(server.getLocalSocketAddress())
                    .sync();
            try (Socket peer = server.accept()) {
                peer.setSoTimeout((int) TimeUnit.SECONDS.toMillis(10));
                CountDownLatch busy = new CountDownLatch(1);
                transport.loops().next().execute(() -> {
                    busy.countDown();
                    while (!transport.loops().isShuttingDown()) {
                        Thread.onSpinWait();
                    }
                });
                busy.await();

                transport.close();

                assertThat(peer.getInputStream().read()).isEqualTo(-1);
            }
        }
        assertThat(transport.loops().isTerminated()).isTrue();
    }
}
