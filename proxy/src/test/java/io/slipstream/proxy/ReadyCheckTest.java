// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class ReadyCheckTest {
    @Test
    void onlyAnAnswerOf200IsReady() throws Exception {
        assertThat(ReadyCheck.isReady(asking("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nok\n")))
                .isTrue();
        assertThat(ReadyCheck.isReady(asking("HTTP/1.1 503 Service Unavailable\r\n\r\nstopping 200\n")))
                .isFalse();
        assertThat(ReadyCheck.isReady(asking(""))).isFalse();
    }

    @Test
    void aProxyThatIsNotThereIsNotReadyAndTheAnswerSaysWhere() throws Exception {
        int port;
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = taken.getLocalPort();
        }
        String answer = ReadyCheck.ask(ReadyCheck.address(null, String.valueOf(port)));
        assertThat(answer).contains(String.valueOf(port));
        assertThat(ReadyCheck.isReady(answer)).isFalse();
    }

    @Test
    void aServerOnAllAddressesIsAskedOnLoopbackAnyOtherWhereItIs() {
        assertThat(ReadyCheck.address("0.0.0.0", "9091"))
                .isEqualTo(new InetSocketAddress(InetAddress.getLoopbackAddress(), 9091));
        assertThat(ReadyCheck.address("::", "9091").getAddress().isLoopbackAddress())
                .isTrue();
        assertThat(ReadyCheck.address(null, "9091").getAddress().isLoopbackAddress())
                .isTrue();
        assertThat(ReadyCheck.address("127.0.0.2", "1").getAddress().getHostAddress())
                .isEqualTo("127.0.0.2");
    }

    private static String asking(String answer) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread thread = new Thread(() -> answer(server, answer));
            thread.start();
            String received = ReadyCheck.ask(ReadyCheck.address(null, String.valueOf(server.getLocalPort())));
            thread.join();
            return received;
        }
    }

    private static void answer(ServerSocket server, String answer) {
        try (Socket client = server.accept()) {
            assertThat(new String(client.getInputStream().readNBytes(11), StandardCharsets.US_ASCII))
                    .isEqualTo("GET /readyz");
            client.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
            client.shutdownOutput();
            client.getInputStream().readAllBytes();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
