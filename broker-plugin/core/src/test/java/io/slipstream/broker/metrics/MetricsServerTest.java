// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.metrics;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.slipstream.broker.config.HostPort;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class MetricsServerTest {
    /** Beyond the bounds of {@link MetricsServer}, which the JDK checks once a second. */
    private static final int READ_TIMEOUT_MS = 45_000;

    private static final int LARGE_BYTES = 64 << 20;
    private static final String GET = "GET /metrics HTTP/1.1\r\nHost: broker\r\nConnection: close\r\n\r\n";
    private final PluginMeters meters = new PluginMeters();
    private final List<Socket> sockets = new ArrayList<>();
    private Supplier<String> page = () -> meters.registry.scrape();
    private MetricsServer server;

    @BeforeEach
    void start() throws IOException {
        server = MetricsServer.start(new HostPort("127.0.0.1", 0), () -> page.get());
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

    private Socket send(String request) throws IOException {
        Socket socket = connect();
        socket.getOutputStream().write(request.getBytes(US_ASCII));
        return socket;
    }

    private String ask(String request) throws IOException {
        return readAll(send(request));
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
        assertThat(ask(GET))
                .startsWith("HTTP/1.1 200 OK\r\n")
                .containsIgnoringCase("\r\nContent-Type: text/plain; version=0.0.4")
                .contains("\nslipstream_plugin_requests_landed_total 3.0\n");
        assertThat(ask(GET.replace("/metrics", "/metrics?name=x"))).startsWith("HTTP/1.1 200");
    }

    @Test
    void shouldAnswerNothingElse() throws IOException {
        assertThat(ask(GET.replace("/metrics", "/"))).startsWith("HTTP/1.1 404 ");
        assertThat(ask(GET.replace("/metrics", "/metrics/x"))).startsWith("HTTP/1.1 404 ");
        assertThat(ask(GET.replace("GET", "POST"))).startsWith("HTTP/1.1 405 ");
        assertThat(ask("GET\r\n\r\n")).startsWith("HTTP/1.1 400 ");
    }

    @Test
    void shouldServeOthersBesideOnesThatDoNotFinishAndThenCloseThose() throws IOException {
        List<Socket> unfinished = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            unfinished.add(send("GET /metr"));
        }
        assertThat(ask(GET)).startsWith("HTTP/1.1 200");
        for (Socket socket : unfinished) {
            assertThat(readAll(socket)).isEmpty();
        }
    }

    @Test
    void shouldCutWhoDoesNotReadItsAnswer() throws Exception {
        page = () -> "#".repeat(LARGE_BYTES);
        Socket socket = send(GET);
        await().atMost(Duration.ofSeconds(60)).until(() -> !hasServingThread());
        int read = 0;
        byte[] some = new byte[1 << 16];
        try {
            for (int n = 0; n >= 0; n = socket.getInputStream().read(some)) {
                read += n;
            }
        } catch (SocketException reset) {
            // The server closed the connection with unsent bytes.
        }
        assertThat(read).isPositive().isLessThan(LARGE_BYTES);
    }

    private static boolean hasServingThread() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(each -> each.getKey().getName().equals("slipstream-metrics"))
                .flatMap(each -> List.of(each.getValue()).stream())
                .anyMatch(frame -> frame.getClassName().startsWith("sun.net.httpserver."));
    }

    @Test
    void shouldCloseConnectionsBeyondTheBoundAndOnesThatSayNothing() throws IOException {
        List<Socket> idle = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            idle.add(connect());
        }
        for (Socket socket : idle) {
            assertThat(readAll(socket)).isEmpty();
        }
        assertThat(ask(GET)).startsWith("HTTP/1.1 200");
    }

    @Test
    void shouldLeaveOnlyDaemonThreadsWhichEndWithIt() {
        assertThat(servers()).isNotEmpty().allMatch(Thread::isDaemon);
        server.close();
        server.close();
        await().atMost(Duration.ofSeconds(60)).until(() -> servers().isEmpty());
    }

    private static List<Thread> servers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("HTTP-Dispatcher"))
                .toList();
    }

    @Test
    void shouldSayWhichAddressCannotBeHad() {
        assertThatThrownBy(() -> MetricsServer.start(
                        new HostPort("127.0.0.1", server.address().getPort()), () -> ""))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("127.0.0.1:" + server.address().getPort());
    }
}
