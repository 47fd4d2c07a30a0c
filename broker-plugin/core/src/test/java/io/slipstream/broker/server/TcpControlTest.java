// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.slipstream.broker.client.ControlClient;
import io.slipstream.broker.client.RingClient;
import io.slipstream.broker.client.TestProvider;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The control channel over TCP with the data path over shared memory, and the poll modes of handler threads. */
@Timeout(60)
class TcpControlTest {
    private final PluginMeters counters = new PluginMeters();
    private final EchoLine line = new EchoLine(1);
    private PluginServer server;

    @TempDir
    private Path temporary;

    @AfterEach
    void stop() {
        server.close();
    }

    private void start(Map<String, Object> settings) throws IOException {
        Map<String, Object> originals = new HashMap<>(settings);
        originals.put("slipstream.directory", temporary.resolve("s").toString());
        originals.put("slipstream.provider", TestProvider.NAME);
        originals.putIfAbsent("slipstream.control.address", "");
        originals.put("slipstream.ring.bytes", "65536");
        server = PluginServer.start(line, line.describe(originals, originals), counters);
    }

    private InetSocketAddress startOnTcp() throws IOException {
        start(Map.of("slipstream.control.address", "127.0.0.1:0"));
        return server.controlAddress;
    }

    private void observe(String nonce) {
        server.sessions.onApiVersions(EchoLine.connection("a", nonce));
    }

    private void echo(ControlClient control) throws Exception {
        try (RingClient ring = new RingClient(control, 8)) {
            int session = ring.bind(this::observe);
            ByteBuffer payload = ByteBuffer.wrap(new byte[] {1, 2, 3});
            assertThat(ring.await(ring.send(session, payload)).payload()).isEqualTo(payload);
        }
    }

    @Test
    void shouldServeByTcpAndSocketAlike() throws Exception {
        InetSocketAddress address = startOnTcp();
        try (ControlClient control = new ControlClient(address)) {
            echo(control);
        }
        try (ControlClient control = new ControlClient(temporary.resolve("s").resolve("cluster.7.sock"))) {
            echo(control);
        }
        await().atMost(Duration.ofSeconds(10)).until(() -> counters.get(PluginMeter.LINKS_CLOSED) == 2);
    }

    @Test
    void shouldServeLocalProxiesWhenThePortIsTaken() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            start(Map.of("slipstream.control.address", "127.0.0.1:" + taken.getLocalPort()));
            assertThat(server.controlAddress).isNull();
            try (ControlClient control =
                    new ControlClient(temporary.resolve("s").resolve("cluster.7.sock"))) {
                echo(control);
            }
        }
    }

    @Test
    void shouldServeWhoGreetsInACrowdThatDoesNot() throws Exception {
        InetSocketAddress address = startOnTcp();
        Path socket = temporary.resolve("s").resolve("cluster.7.sock");
        List<ControlClient> idle = new ArrayList<>();
        try (ControlClient attached = new ControlClient(address);
                ControlClient attachedLocally = new ControlClient(socket)) {
            greet(attached);
            greet(attachedLocally);
            for (int i = 0; i < 300; i++) {
                idle.add(new ControlClient(address));
                idle.add(new ControlClient(socket));
            }
            await().atMost(Duration.ofSeconds(10)).until(() -> counters.get(PluginMeter.CONTROL_CONNECTIONS) == 602);
            for (ControlClient client : new ControlClient[] {
                attached, attachedLocally, new ControlClient(address), new ControlClient(socket)
            }) {
                assertThat(client.ask(new ControlRequest.BeginSession(1), ControlResponse.class)
                                .error())
                        .as("an earlier proxy, or a peer without Hello")
                        .isEqualTo(
                                client == attached || client == attachedLocally
                                        ? ControlError.UNKNOWN_HANDLE
                                        : ControlError.PROTOCOL);
            }
            try (ControlClient next = new ControlClient(address);
                    ControlClient nextLocally = new ControlClient(socket)) {
                greet(next);
                greet(nextLocally);
            }
            for (ControlClient client : idle) {
                assertThatThrownBy(client::readFrame).isInstanceOf(IOException.class);
            }
        } finally {
            for (ControlClient client : idle) {
                client.close();
            }
        }
    }

    private static void greet(ControlClient control) throws IOException {
        assertThat(control.ask(new ControlRequest.Hello("proxy", "1"), ControlResponse.Hello.class)
                        .error())
                .isEqualTo(ControlError.NONE);
    }

    @Test
    void shouldRefuseTheSurplusOfOneAddressThatGreets() throws Exception {
        InetSocketAddress address = startOnTcp();
        List<ControlClient> greeted = new ArrayList<>();
        try {
            for (int i = 0; i < 128; i++) {
                greeted.add(new ControlClient(address));
                greet(greeted.get(i));
            }
            try (ControlClient surplus = new ControlClient(address)) {
                assertThatThrownBy(() -> greet(surplus)).isInstanceOf(IOException.class);
            }
            assertThat(counters.get(PluginMeter.CONTROL_CONNECTIONS_REFUSED)).isEqualTo(1);
            greeted.remove(0).close();
            await().atMost(Duration.ofSeconds(10)).ignoreExceptions().until(() -> {
                greeted.add(new ControlClient(address));
                greet(greeted.get(greeted.size() - 1));
                return true;
            });
        } finally {
            for (ControlClient client : greeted) {
                client.close();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "20", "10000"})
    void shouldAnswerHoweverLongThreadsSpin(String spinUs) throws Exception {
        start(Map.of("slipstream.poll.spin.us", spinUs, "slipstream.handler.threads", "1"));
        try (ControlClient control = new ControlClient(temporary.resolve("s").resolve("cluster.7.sock"));
                RingClient ring = new RingClient(control, 8)) {
            int session = ring.bind(this::observe);
            for (int i = 0; i < 50; i++) {
                ring.await(ring.send(session, ByteBuffer.allocate(i)));
            }
            line.doorbell.accept(3);
            assertThat(ring.awaitDoorbells(1)).containsExactly(3);
        }
        await().atMost(Duration.ofSeconds(10)).until(() -> counters.get(PluginMeter.LINKS_CLOSED) == 1);
    }
}
