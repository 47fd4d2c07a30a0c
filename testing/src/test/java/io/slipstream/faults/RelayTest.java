// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.process.TempDirectory;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 20, unit = TimeUnit.SECONDS)
class RelayTest {
    @Test
    void shouldPassBytesBothWaysAndServeAgainAfterACut() throws Exception {
        try (TempDirectory directory = TempDirectory.create("ss-r");
                ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            Path target = directory.path().resolve("target");
            Path front = directory.path().resolve("front");
            server.bind(UnixDomainSocketAddress.of(target));
            try (Relay relay = Relay.betweenSockets(front, target)) {
                for (int round = 0; round < 2; round++) {
                    try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(front));
                            SocketChannel served = server.accept()) {
                        client.write(ByteBuffer.wrap(new byte[] {1}));
                        assertThat(read(served)).isEqualTo(1);
                        served.write(ByteBuffer.wrap(new byte[] {2}));
                        assertThat(read(client)).isEqualTo(2);

                        assertThat(relay.cut()).isEqualTo(1);

                        assertThat(read(client)).isEqualTo(-1);
                        assertThat(read(served)).isEqualTo(-1);
                    }
                }
            }
        }
    }

    @Test
    void shouldTurnClientsAwayWhileNobodyListensBehindIt() throws Exception {
        try (TempDirectory directory = TempDirectory.create("ss-r");
                Relay relay = Relay.betweenSockets(
                        directory.path().resolve("front"), directory.path().resolve("nobody"));
                SocketChannel client = SocketChannel.open(
                        UnixDomainSocketAddress.of(directory.path().resolve("front")))) {
            assertThat(read(client)).isEqualTo(-1);
            assertThat(relay.cut()).isZero();
        }
    }

    /** Returns the next byte; -1 at the end or after a reset. */
    private static int read(SocketChannel channel) {
        ByteBuffer one = ByteBuffer.allocate(1);
        try {
            return channel.read(one) < 0 ? -1 : one.get(0);
        } catch (IOException reset) {
            return -1;
        }
    }
}
