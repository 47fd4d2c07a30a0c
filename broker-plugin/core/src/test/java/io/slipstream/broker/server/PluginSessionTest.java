// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.server;

import static io.slipstream.protocol.control.ControlError.LIMIT;
import static io.slipstream.protocol.control.ControlError.NONE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.slipstream.broker.client.ControlClient;
import io.slipstream.broker.client.RingClient;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.session.ObservedChannel;
import io.slipstream.broker.session.ObservedConnection;
import io.slipstream.broker.session.ScriptedLifetime;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.ring.RingFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sessions and limits of the whole plugin: binding, expiry, exclusion and separation of proxies. */
@Timeout(60)
class PluginSessionTest extends PluginServerFixture {
    /** {@code slipstream.max.links} counts proxies. */
    @Test
    void shouldGiveEachProxyALinkWhateverABusyOneHas() throws Exception {
        List<ControlClient> proxies = new ArrayList<>();
        try {
            for (int i = 0; i < 5; i++) {
                proxies.add(new ControlClient(socket));
                proxies.get(i).ask(new ControlRequest.Hello("proxy-" + i, "1"), ControlResponse.Hello.class);
            }
            List<ControlError> ofBusyOne = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                ofBusyOne.add(open(proxies.get(0)));
            }
            List<ControlError> ofOthers = new ArrayList<>();
            for (ControlClient proxy : proxies.subList(1, 5)) {
                ofOthers.add(open(proxy));
            }
            assertThat(ofBusyOne).containsExactly(NONE, NONE, NONE, NONE, LIMIT);
            assertThat(ofOthers).as("three more proxies").containsExactly(NONE, NONE, NONE, LIMIT);
        } finally {
            for (ControlClient proxy : proxies) {
                proxy.close();
            }
        }
    }

    private static ControlError open(ControlClient proxy) throws Exception {
        return proxy.ask(new ControlRequest.OpenLink(4096, 1), ControlResponse.OpenLink.class)
                .error();
    }

    @Test
    void shouldRefuseRequestsBeyondItsLimits() throws Exception {
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, CREDITS)) {
            for (int i = 0; i < 3; i++) {
                ControlResponse.OpenLink open =
                        control.ask(new ControlRequest.OpenLink(4096, 1), ControlResponse.OpenLink.class);
                assertThat(open.error()).isEqualTo(ControlError.NONE);
            }
            ControlResponse.OpenLink fifth =
                    control.ask(new ControlRequest.OpenLink(4096, 1), ControlResponse.OpenLink.class);
            assertThat(fifth.error()).isEqualTo(ControlError.LIMIT);
            assertThat(fifth.message()).contains("slipstream.max.links");
            for (int bytes : new int[] {0, -1, 4097, 1 << 20}) {
                assertThat(control.ask(new ControlRequest.OpenLink(bytes, 1), ControlResponse.OpenLink.class)
                                .error())
                        .isEqualTo(ControlError.LIMIT);
            }
            for (int i = 0; i < 3; i++) {
                int connection = i;
                ring.bind(nonce -> observe("c" + connection, nonce));
            }
            assertThatThrownBy(() -> ring.bind(nonce -> observe("c4", nonce)))
                    .hasMessageContaining("slipstream.max.sessions");
            server.sessions.onDisconnect("c0");
            await().atMost(Duration.ofSeconds(10)).until(() -> counters.get(PluginMeter.SESSIONS_ENDED) == 1);
            ring.bind(nonce -> observe("c5", nonce));
        }
    }

    @Test
    void shouldNotBindClosedConnections() throws Exception {
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, CREDITS)) {
            assertThat(confirm(control, ring, nonce -> {
                        observe("gone", nonce);
                        server.sessions.onDisconnect("gone");
                    }))
                    .isEqualTo(ControlError.NOT_BOUND);
            assertThat(confirm(control, ring, nonce -> observe("x", "slipstream-" + "0".repeat(32))))
                    .isEqualTo(ControlError.NOT_BOUND);
        }
    }

    @Test
    void shouldCloseTheConnectionOfAnExpiredSession() throws Exception {
        AtomicBoolean isOver = new AtomicBoolean();
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, CREDITS)) {
            assertThat(confirm(control, ring, nonce -> server.sessions.onApiVersions(ofSasl("sasl", nonce))))
                    .as("answer while the expiry is unknown")
                    .isEqualTo(ControlError.NOT_BOUND);
            int session = ring.bind(nonce -> {
                server.sessions.onReceived(new ObservedChannel("sasl", new ScriptedLifetime(isOver)));
                server.sessions.onApiVersions(ofSasl("sasl", nonce));
            });
            assertThat(ring.await(ring.send(session, ByteBuffer.allocate(100))).flags())
                    .isZero();

            isOver.set(true);
            assertThat(ring.await(ring.send(session, ByteBuffer.allocate(100))).flags())
                    .isEqualTo(RingFrame.FLAG_CLOSE_CONNECTION);
            assertThat(control.ask(
                                    new ControlRequest.Locate(
                                            ring.linkId, session, Uuid.ZERO_UUID, "topic", 0, 0, -1, -1),
                                    ControlResponse.Locate.class)
                            .error())
                    .isEqualTo(ControlError.UNKNOWN_HANDLE);
            isOver.set(false);
            assertThat(ring.await(ring.send(session, ByteBuffer.allocate(100))).flags())
                    .as("answer of the closed session")
                    .isEqualTo(RingFrame.FLAG_CLOSE_CONNECTION);
        }
    }

    private static ObservedConnection ofSasl(String id, String nonce) {
        return new ObservedConnection(id, nonce, "CLIENTS", "User:alice", true, nonce);
    }

    @Test
    void shouldLeaveExcludedListenersAndPrincipalsToTcp() throws Exception {
        server.close();
        server = start(Map.of(
                "listeners", "PLAINTEXT://:9092,CLIENTS://:9093",
                "slipstream.listeners.excluded", "clients",
                "slipstream.principals.excluded", "User:bob;User:CN=carol,O=Example"));
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, CREDITS)) {
            assertThatThrownBy(() -> bind(ring, "CLIENTS", "User:alice"))
                    .hasMessageContaining("slipstream.listeners.excluded names CLIENTS");
            assertThatThrownBy(() -> bind(ring, "PLAINTEXT", "User:CN=carol,O=Example"))
                    .hasMessageContaining("slipstream.principals.excluded names User:CN=carol,O=Example");
            assertThat(confirm(
                            control,
                            ring,
                            nonce -> server.sessions.onApiVersions(
                                    new ObservedConnection("c", nonce, "PLAINTEXT", "User:bob", false, nonce))))
                    .isEqualTo(ControlError.RDMA_OFF);
            bind(ring, "PLAINTEXT", "User:alice");
        }
    }

    private void bind(RingClient ring, String listener, String principal) throws Exception {
        ring.bind(nonce ->
                server.sessions.onApiVersions(new ObservedConnection("c", nonce, listener, principal, false, nonce)));
    }

    private static ControlError confirm(ControlClient control, RingClient ring, RingClient.NonceCarrier carrier)
            throws IOException {
        String nonce = control.ask(new ControlRequest.BeginSession(ring.linkId), ControlResponse.BeginSession.class)
                .nonce();
        carrier.show(nonce);
        return control.ask(new ControlRequest.ConfirmSession(ring.linkId, nonce), ControlResponse.ConfirmSession.class)
                .error();
    }

    @Test
    void shouldRefuseHandlesOfOtherControlConnections() throws Exception {
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, CREDITS);
                ControlClient other = new ControlClient(socket)) {
            other.ask(new ControlRequest.Hello("other", "1"), ControlResponse.Hello.class);

            assertThat(other.ask(new ControlRequest.BeginSession(ring.linkId), ControlResponse.BeginSession.class)
                            .error())
                    .isEqualTo(ControlError.UNKNOWN_HANDLE);
            assertThat(other.ask(
                                    new ControlRequest.AttachLink(
                                            ring.linkId, io.slipstream.protocol.control.RemoteMemory.NONE),
                                    ControlResponse.AttachLink.class)
                            .error())
                    .isEqualTo(ControlError.UNKNOWN_HANDLE);
        }
    }
}
