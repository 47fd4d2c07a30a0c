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
import io.slipstream.broker.session.ObservedConnection;
import io.slipstream.protocol.control.ControlApi;
import io.slipstream.protocol.control.ControlCodec;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlRequest;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.RemoteMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A peer of the control channel must not affect other peers. */
@Timeout(120)
class ControlAttackTest {
    /** Requests that name no link, or nothing at all. */
    private static final Set<ControlApi> WITHOUT_LINK =
            EnumSet.of(ControlApi.HELLO, ControlApi.OPEN_LINK, ControlApi.CHALLENGE, ControlApi.AUTHENTICATE);

    private final PluginMeters counters = new PluginMeters();
    private final EchoLine line = new EchoLine(1);
    private PluginServer server;
    private Path socket;

    @BeforeEach
    void start(@TempDir Path temporary) throws IOException {
        Path directory = temporary.resolve("s");
        Map<String, Object> originals = new HashMap<>();
        originals.put("slipstream.directory", directory.toString());
        originals.put("slipstream.provider", TestProvider.NAME);
        originals.put("slipstream.control.address", "127.0.0.1:0");
        originals.put("slipstream.ring.bytes", "65536");
        originals.put("slipstream.max.links.per.connection", "3");
        originals.put("slipstream.max.sessions.per.principal", "2");
        server = PluginServer.start(line, line.describe(originals, originals), counters);
        socket = directory.resolve("cluster.7.sock");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private void observe(String connectionId, String principal, String nonce) {
        server.sessions.onApiVersions(
                new ObservedConnection(connectionId, nonce, "PLAINTEXT", principal, false, nonce));
    }

    private int bind(RingClient ring, String connectionId, String principal) throws Exception {
        return ring.bind(nonce -> observe(connectionId, principal, nonce));
    }

    private static void greet(ControlClient control) throws IOException {
        control.ask(new ControlRequest.Hello("attacker", "1"), ControlResponse.Hello.class);
    }

    /** Returns one request of each kind that names a link, with those ids. */
    private static List<ControlRequest> requests(int link, int session, int slot, String nonce) {
        Uuid none = Uuid.ZERO_UUID;
        return List.of(
                new ControlRequest.AttachLink(link, new RemoteMemory(0, 65536, 1)),
                new ControlRequest.BeginSession(link),
                new ControlRequest.ConfirmSession(link, nonce),
                new ControlRequest.CloseSession(link, session),
                new ControlRequest.Locate(link, session, none, "t", 0, 0, -1, -1),
                new ControlRequest.ReleaseSegment(link, 1),
                new ControlRequest.ReleaseSlot(link, session, slot, 0),
                new ControlRequest.ReportReads(link, List.of(), List.of()),
                new ControlRequest.ListAborted(link, session, slot, 0, 0, 0));
    }

    @Test
    void shouldRefuseEverythingThatNamesSomebodyElsesLink() throws Exception {
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, 8);
                ControlClient attacker = new ControlClient(socket)) {
            int session = bind(ring, "victim", "User:alice");
            String nonce = control.ask(new ControlRequest.BeginSession(ring.linkId), ControlResponse.BeginSession.class)
                    .nonce();
            observe("victims other", "User:alice", nonce);
            greet(attacker);
            Set<ControlApi> tried = EnumSet.copyOf(WITHOUT_LINK);
            for (int link : new int[] {ring.linkId, ring.linkId + 1, 0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
                for (ControlRequest request : requests(link, session, 0, nonce)) {
                    tried.add(ControlApi.of(request));
                    assertThat(attacker.ask(request, ControlResponse.class).error())
                            .as(request.toString())
                            .isEqualTo(ControlError.UNKNOWN_HANDLE);
                }
            }
            assertThat(tried).as("each kind of request").containsExactlyInAnyOrder(ControlApi.values());

            ByteBuffer payload = ByteBuffer.wrap(new byte[] {1, 2, 3});
            assertThat(ring.await(ring.send(session, payload)).payload())
                    .as("the victim's session lives on")
                    .isEqualTo(payload);
            assertThat(control.ask(
                                    new ControlRequest.ConfirmSession(ring.linkId, nonce),
                                    ControlResponse.ConfirmSession.class)
                            .error())
                    .as("the victim's nonce still works")
                    .isEqualTo(ControlError.NONE);
            assertThat(counters.get(PluginMeter.SESSIONS_ENDED)).isZero();
        }
        nothingIsLeft(1, 2);
    }

    @Test
    void shouldRefuseSessionsAndNoncesThatAreNotTheLinksOwn() throws Exception {
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, 8);
                ControlClient attackers = new ControlClient(socket);
                RingClient attackersRing = new RingClient(attackers, 8)) {
            int session = bind(ring, "victim", "User:alice");
            String nonce = control.ask(new ControlRequest.BeginSession(ring.linkId), ControlResponse.BeginSession.class)
                    .nonce();
            observe("victims other", "User:alice", nonce);
            int link = attackersRing.linkId;
            for (int id : new int[] {session, session + 1, 0, -1, Integer.MAX_VALUE}) {
                for (ControlRequest request : List.of(
                        new ControlRequest.CloseSession(link, id),
                        new ControlRequest.Locate(link, id, Uuid.ZERO_UUID, "t", 0, 0, -1, -1))) {
                    assertThat(attackers.ask(request, ControlResponse.class).error())
                            .as(request.toString())
                            .isEqualTo(ControlError.UNKNOWN_HANDLE);
                }
            }
            for (String forged :
                    new String[] {nonce, nonce.substring(0, nonce.length() - 1) + "x", "", "slipstream-"}) {
                assertThat(attackers
                                .ask(new ControlRequest.ConfirmSession(link, forged), ControlResponse.class)
                                .error())
                        .as(forged)
                        .isEqualTo(ControlError.NOT_BOUND);
            }
            ControlRequest confirm = new ControlRequest.ConfirmSession(ring.linkId, nonce);
            assertThat(control.ask(confirm, ControlResponse.class).error()).isEqualTo(ControlError.NONE);
            assertThat(control.ask(confirm, ControlResponse.class).error())
                    .as("used")
                    .isEqualTo(ControlError.NOT_BOUND);
        }
        nothingIsLeft(2, 2);
    }

    @Test
    void shouldBoundLinksOfAProxyAndSessionsOfAPrincipal() throws Exception {
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, 8)) {
            ControlRequest open = new ControlRequest.OpenLink(4096, 1);
            assertThat(control.ask(open, ControlResponse.class).error()).isEqualTo(ControlError.NONE);
            assertThat(control.ask(open, ControlResponse.class).error()).isEqualTo(ControlError.NONE);
            ControlResponse fourth = control.ask(open, ControlResponse.class);
            assertThat(fourth.error()).isEqualTo(ControlError.LIMIT);
            assertThat(fourth.message()).contains("slipstream.max.links.per.connection");
            bind(ring, "a", "User:alice");
            bind(ring, "b", "User:alice");
            assertThatThrownBy(() -> bind(ring, "c", "User:alice"))
                    .hasMessageContaining("slipstream.max.sessions.per.principal");
            bind(ring, "d", "User:bob");
            server.sessions.onDisconnect("a");
            await().atMost(Duration.ofSeconds(10)).until(() -> counters.get(PluginMeter.SESSIONS_ENDED) == 1);
            bind(ring, "c", "User:alice");
        }
        nothingIsLeft(3, 4);
    }

    @Test
    void shouldRefuseAFloodAndServeOthersBesideIt() throws Exception {
        try (ControlClient attackers = new ControlClient(socket);
                RingClient attackersRing = new RingClient(attackers, 8)) {
            int refused = 0;
            for (int i = 0; i < 6000; i++) {
                ControlError error = attackers
                        .ask(new ControlRequest.BeginSession(attackersRing.linkId), ControlResponse.class)
                        .error();
                assertThat(error).isIn(ControlError.NONE, ControlError.LIMIT);
                refused += error == ControlError.LIMIT ? 1 : 0;
            }
            assertThat(refused).as("of 6000").isPositive();
            try (ControlClient control = new ControlClient(socket);
                    RingClient ring = new RingClient(control, 8)) {
                int session = bind(ring, "beside", "User:alice");
                ring.await(ring.send(session, ByteBuffer.allocate(100)));
            }
        }
        nothingIsLeft(2, 1);
    }

    @Test
    void shouldEndHalfFramesAndServeOthersBesideThem() throws Exception {
        ByteBuffer hello = ControlCodec.encodeRequest(0, new ControlRequest.Hello("slow", "1"));
        List<ControlClient> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 50; i++) {
                for (ControlClient client :
                        new ControlClient[] {new ControlClient(socket), new ControlClient(server.controlAddress)}) {
                    slow.add(client);
                    client.write(hello.duplicate().limit(1 + i % (hello.limit() - 1)));
                }
            }
            try (ControlClient control = new ControlClient(socket)) {
                greet(control);
            }
            for (ControlClient client : slow) {
                client.awaitClose();
            }
        } finally {
            for (ControlClient client : slow) {
                client.close();
            }
        }
        assertThat(counters.get(PluginMeter.CONTROL_PROTOCOL_ERRORS)).isZero();
        nothingIsLeft(0, 0);
    }

    @Test
    void shouldOutliveTenThousandConnections() throws Exception {
        for (int i = 0; i < 5000; i++) {
            new ControlClient(socket).close();
            new ControlClient(server.controlAddress).close();
        }
        for (int i = 0; i < 10; i++) {
            try (ControlClient control =
                            i % 2 == 0 ? new ControlClient(socket) : new ControlClient(server.controlAddress);
                    RingClient ring = new RingClient(control, 8)) {
                assertThat(ring.linkId).isPositive();
            }
        }
        nothingIsLeft(10, 0);
    }

    private void nothingIsLeft(int links, int sessions) {
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            assertThat(counters.get(PluginMeter.LINKS_CLOSED)).isGreaterThanOrEqualTo(links);
            assertThat(counters.get(PluginMeter.LINKS_CLOSED)).isEqualTo(counters.get(PluginMeter.LINKS_OPENED));
            assertThat(counters.get(PluginMeter.SESSIONS_ENDED)).isEqualTo(sessions);
            assertThat(counters.get(PluginMeter.SESSIONS_OPEN)).isZero();
        });
    }
}
