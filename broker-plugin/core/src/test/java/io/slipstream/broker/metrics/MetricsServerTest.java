// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.metrics;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.broker.config.HostPort;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MetricsServerTest {
    private static final int DEADLINE_MS = 500;
    private static final int READ_TIMEOUT_MS = 15_000;
    private static final String GET = "GET /metrics HTTP/1.1\r\nHost: broker\r\n\r\n";
    private final PluginMeters meters = new PluginMeters();
    private final List<Socket> sockets = new ArrayList<>();
    private MetricsServer server;

    @BeforeEach
    void start() throws IOException {
        server = MetricsServer.start(
                new HostPort("127.0.0.1", 0), () -> meters.registry().scrape(), DEADLINE_MS);
    }

    @AfterEach
    void stop() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        server.close();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket("127.0.0.1", server.address().getPort());
        socket.setSoTimeout(READ_TIMEOUT_MS);
        sockets.add(socket);
        return socket;
    }

    private String ask(String request) throws IOException {
        Socket socket = connect();
        socket.getOutputStream().write(request.getBytes(US_ASCII));
        return readAll(socket);
    }

    private static String readAll(Socket socket) throws IOException {
        try {
            return new String(socket.getInputStream().readAllBytes(), US_ASCII);
        } catch (SocketException reset) {
            return "";
        }
    }

    @Test
    void shouldShowEveryMeter() throws IOException {
        meters.add(PluginMeter.REQUESTS_LANDED, 3);
        String answer = ask(GET);
        assertThat(answer)
                .startsWith("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4")
                .contains("\nslipstream_plugin_requests_landed_total 3.0\n");
        assertThat(ask("GET /metrics?name=x HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 200");
    }

    @Test
    void shouldAnswerNothingElse() throws IOException {
        assertThat(ask("GET / HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 404 ");
        assertThat(ask("POST /metrics HTTP/1.1\r\n\r\n")).startsWith("HTTP/1.1 405 ");
        assertThat(ask("\r\n\r\n")).startsWith("HTTP/1.1 400 ");
        assertThat(ask("GET " + "x".repeat(MetricsExchange.MOST_REQUEST_BYTES) + " HTTP/1.1"))
                .startsWith("HTTP/1.1 431 ");
    }

    @Test
    void shouldTakeARequestInPieces() throws Exception {
        Socket socket = connect();
        for (byte one : GET.getBytes(US_ASCII)) {
            socket.getOutputStream().write(one);
        }
        assertThat(readAll(socket)).startsWith("HTTP/1.1 200");
    }

    @Test
    void shouldCloseWhoDoesNotFinish() throws IOException {
        Socket socket = connect();
        socket.getOutputStream().write("GET /metr".getBytes(US_ASCII));
        assertThat(readAll(socket)).isEmpty();
    }

    @Test
    void shouldCutWhoDoesNotReadItsAnswer() throws Exception {
        server.close();
        String large = "#".repeat(64 << 20);
        server = MetricsServer.start(new HostPort("127.0.0.1", 0), () -> large, DEADLINE_MS);
        Socket socket = connect();
        socket.getOutputStream().write(GET.getBytes(US_ASCII));
        // Longer than the deadline. A late reader receives only the content of the socket buffers.
        TimeUnit.MILLISECONDS.sleep(3 * DEADLINE_MS);
        int read = 0;
        byte[] some = new byte[1 << 16];
        try {
            for (int n = 0; n >= 0; n = socket.getInputStream().read(some)) {
                read += n;
            }
        } catch (SocketException reset) {
            // The server closed the connection with unsent bytes.
        }
        assertThat(read).isLessThan(large.length());
    }

    @Test
    void shouldMakeRoomByClosingTheOldest() throws IOException {
        server.close();
        server = MetricsServer.start(new HostPort("127.0.0.1", 0), () -> "", TimeUnit.MINUTES.toMillis(10));
        List<Socket> idle = new ArrayList<>();
        for (int i = 0; i < MetricsServer.MOST_CONNECTIONS; i++) {
            idle.add(connect());
        }
        assertThat(ask(GET)).startsWith("HTTP/1.1 200");
        assertThat(idle.get(0).getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void shouldSayWhichAddressCannotBeHad() {
        assertThatThrownBy(() -> MetricsServer.start(
                        new HostPort("127.0.0.1", server.address().getPort()), () -> ""))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("127.0.0.1:" + server.address().getPort());
    }
}
