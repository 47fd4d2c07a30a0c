// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import static io.slipstream.proxy.fetch.FetchFrames.fetch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.link.meter.Meter;
import io.slipstream.link.settings.ControlPorts;
import io.slipstream.link.settings.TransportSettings;
import io.slipstream.protocol.control.ControlApi;
import io.slipstream.protocol.control.ControlError;
import io.slipstream.proxy.fetch.FetchAnswers;
import io.slipstream.proxy.ring.ProduceFrames;
import io.slipstream.rdma.DeviceConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Set-up of links: the plugin's address, the provider, the memory and the spin. */
@Timeout(60)
class LinkSetupTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final int MB = 1 << 20;

    private FastPathFixture fixture;
    private PluginPeer peer;

    @AfterEach
    void stop() throws IOException {
        fixture.close();
        if (peer != null) {
            peer.close();
        }
    }

    private static TransportSettings transport(String provider, int readMemoryBytes) {
        return new TransportSettings(provider, DeviceConfig.DEFAULT, TransportSettings.SPIN_NS, readMemoryBytes);
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    /** Submits Produce requests until one arrives by RDMA, and answers that one. */
    private void awaitRdma(TestClient client) {
        await().atMost(SOON).until(() -> {
            TestClient.Request request = client.submit(ProduceFrames.produce(1, 10));
            await().atMost(SOON).until(() -> request.answer.isDone() || !peer.landed.isEmpty());
            if (request.answer.isDone()) {
                assertThat(request.await().kind()).startsWith("fallBack:");
                return false;
            }
            PeerLink.Landed landed = peer.landed.take();
            peer.run(() -> peer.link().reply(landed, 0, "ok".getBytes(StandardCharsets.UTF_8)));
            return request.await().kind().equals("respond");
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {0, TransportSettings.SPIN_NS})
    void shouldProduceAndFetchHoweverLongEventLoopsSpin(long spinNs) throws IOException {
        fixture = new FastPathFixture(
                new TransportSettings("auto", DeviceConfig.DEFAULT, spinNs, MB),
                ControlPorts.NONE,
                FastPathFixture.REGISTERED_MEMORY);
        peer = fixture.peer();
        TestClient client = fixture.client(peer);
        PeerLog log = peer.on(() -> peer.log("cars", 0));
        for (int round = 0; round < 20; round++) {
            awaitRdma(client);
            long offset = round;
            TestClient.Request waiting = client.submit(fetch().with(d -> d.setMaxWaitMs(30_000))
                    .partition(0, offset, MB)
                    .bytes());
            await().pollInterval(Duration.ofMillis(1))
                    .atMost(SOON)
                    .until(() -> fixture.meters.value(Meter.FETCH_WAITS) == 1);
            byte[] batch = peer.on(() -> {
                byte[] appended = log.append("v");
                log.commit();
                peer.publish(log);
                return appended;
            });
            TestClient.Answer answer = waiting.await();
            assertThat(FetchAnswers.records(FetchAnswers.only(FetchAnswers.parse(answer.response()))))
                    .isEqualTo(batch);
        }
        client.close();
    }

    @Test
    void shouldSetUpALinkWhenAClientConnectsBeforeItsFirstRequest() throws IOException {
        fixture = FastPathFixture.idling(60_000);
        peer = fixture.peer();
        TestClient client = fixture.client(peer);
        assertThat(fixture.meters.value(Meter.LINKS_UP))
                .as("before it connects")
                .isZero();
        client.on(() -> {
            fixture.factory.prepare(client);
            return null;
        });
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.LINKS_UP) == 1);
        client.close();
    }

    @Test
    void shouldEndALinkWithoutClientsAndSetItUpForTheNextOne() throws IOException {
        fixture = FastPathFixture.idling(200);
        peer = fixture.peer();
        TestClient first = fixture.client(peer);
        awaitRdma(first);
        await().pollDelay(Duration.ofMillis(600)).atMost(SOON).until(() -> fixture.meters.value(Meter.LINKS_UP) == 1);
        first.close();
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.LINKS_UP) == 0);
        peer.run(peer.links::clear);

        TestClient second = fixture.client(peer);
        TestClient.Request request = second.submit(ProduceFrames.produce(1, 10));
        await().atMost(SOON).until(() -> request.answer.isDone() || !peer.landed.isEmpty());
        assertThat(request.answer).as("waits for the link").isNotDone();
        assertThat(fixture.meters.value(Meter.LINKS_UP)).isEqualTo(1);
        peer.run(() -> peer.link().reply(peer.landed.remove(), 0, "ok".getBytes(StandardCharsets.UTF_8)));
        assertThat(request.await().kind()).isEqualTo("respond");
        second.close();
    }

    @Test
    void shouldRetryALostLinkOnlyWhileSomebodyWantsIt() throws IOException {
        fixture = FastPathFixture.idling(300);
        peer = fixture.peer();
        TestClient first = fixture.client(peer);
        awaitRdma(first);
        await("a client is bound for longer than that")
                .pollDelay(Duration.ofMillis(600))
                .atMost(SOON)
                .until(() -> fixture.meters.value(Meter.LINKS_UP) == 1);
        first.close();
        peer.run(() -> peer.refusals.put(ControlApi.OPEN_LINK, ControlError.INTERNAL));
        peer.closeControlConnections();
        await("it is retried").atMost(SOON).until(() -> failures() > 2);
        AtomicLong last = new AtomicLong(-1);
        await("nobody wants it")
                .pollInterval(Duration.ofMillis(1_000))
                .atMost(SOON)
                .until(() -> last.getAndSet(failures()) == failures());

        peer.run(peer.refusals::clear);
        TestClient second = fixture.client(peer);
        awaitRdma(second);
        second.close();
    }

    private long failures() {
        return fixture.meters.value(Meter.LINK_FAILURES, "refused");
    }

    @Test
    void shouldLetNoRequestWaitThatIsTooLargeForTheRing() throws IOException {
        fixture = new FastPathFixture(FastPathFixture.ANY_MEMORY);
        peer = fixture.peer();
        TestClient first = fixture.client(peer);
        awaitRdma(first);
        TestClient client = fixture.client(peer);
        client.upstreamStalls = true;
        TestClient.Request waiting = client.submit(ProduceFrames.produce(1, 10));
        TestClient.Request large = client.submit(ProduceFrames.produce(2, 2 * MB));
        assertThat(large.await().kind()).isEqualTo("fallBack:FRAME_TOO_LARGE");
        assertThat(waiting.await().kind()).as("must not be overtaken").isEqualTo("fallBack:SESSION_NOT_BOUND");
        client.close();
        first.close();
    }

    @Test
    void shouldNotReadAClientWhileMuchOfItWaitsForItsSession() throws IOException {
        fixture = new FastPathFixture(FastPathFixture.ANY_MEMORY, 10_000, 5_000, 10_000);
        peer = fixture.peer();
        TestClient bound = fixture.client(peer);
        awaitRdma(bound);
        TestClient client = fixture.client(peer);
        client.upstreamStalls = true;
        List<TestClient.Request> waiting = new ArrayList<>();
        while (!client.on(client.fastPath::isMuted)) {
            waiting.add(client.submit(ProduceFrames.produce(waiting.size(), 15_000)));
        }
        assertThat(waiting).as("half a megabyte").hasSize(35);
        for (TestClient.Request request : waiting) {
            assertThat(request.await().kind()).isEqualTo("fallBack:SESSION_NOT_BOUND");
        }
        await().atMost(SOON).until(() -> client.muteChanges.get() == 1);
        assertThat(client.on(client.fastPath::isMuted)).isFalse();
        client.close();
        bound.close();
    }

    @Test
    void shouldFindThePluginOverTcpWhenItComesAndAgainAfterItWasGone() throws IOException {
        int port = freePort();
        fixture = new FastPathFixture(
                transport("auto", MB),
                new ControlPorts(0, Map.of(PluginPeer.NODE, port), null, null),
                FastPathFixture.REGISTERED_MEMORY);
        peer = fixture.peer();
        TestClient client = fixture.client(peer);
        peer.run(() -> {});
        Files.delete(fixture.directory.resolve(PluginPeer.CLUSTER + "." + PluginPeer.NODE + ".sock"));
        assertThat(client.submit(ProduceFrames.produce(1, 10)).await().kind())
                .as("the broker's host is not known")
                .isEqualTo("fallBack:NO_PLUGIN");
        fixture.factory.brokerAt(PluginPeer.NODE, "127.0.0.1");
        await("nothing listens there")
                .atMost(SOON)
                .until(() -> client.submit(ProduceFrames.produce(1, 10)).await().kind(), "fallBack:NO_PLUGIN"::equals);

        peer.listenOnTcp(port);
        awaitRdma(client);
        peer.closeControlConnections();
        await("either end of the peer is what the event loop sees first")
                .atMost(SOON)
                .until(() -> fixture.meters.value(Meter.LINK_FAILURES, "control_lost")
                                + fixture.meters.value(Meter.LINK_FAILURES, "queue_pair")
                        == 1);
        await("the link is back without anybody's asking")
                .atMost(SOON)
                .until(() -> fixture.meters.value(Meter.LINKS_UP) == 1 && peer.on(() -> peer.links.size() == 1));
        awaitRdma(client);
        client.close();
    }

    @Test
    void shouldServeWhileTheNameOfABrokersHostIsLookedUp() throws Exception {
        int port = freePort();
        fixture = new FastPathFixture(
                transport("auto", MB),
                new ControlPorts(0, Map.of(PluginPeer.NODE, port), null, null),
                FastPathFixture.REGISTERED_MEMORY);
        peer = fixture.peer();
        TestClient client = fixture.client(peer);
        peer.run(() -> {});
        Files.delete(fixture.directory.resolve(PluginPeer.CLUSTER + "." + PluginPeer.NODE + ".sock"));
        peer.listenOnTcp(port);
        fixture.factory.brokerAt(PluginPeer.NODE, "localhost");
        await("requests take TCP, on the event loop that waits for the name")
                .atMost(SOON)
                .until(() -> client.submit(ProduceFrames.produce(1, 10)).await().kind(), "fallBack:NO_PLUGIN"::equals);
        assertThat(fixture.slowNames.asked).isNotEmpty().containsOnly("localhost");
        fixture.slowNames.release();
        awaitRdma(client);
        client.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"verbs", "shm"})
    void shouldStayOnTcpWithTheReasonWhenTheProviderIsOfNoUse(String offered) throws IOException {
        // A plugin that offers verbs on a host without it, or a provider that the configuration excludes.
        fixture = new FastPathFixture(
                transport(offered.equals("verbs") ? "auto" : "verbs", MB),
                ControlPorts.NONE,
                offered.equals("verbs") ? "no-such-provider" : offered);
        peer = fixture.peer();
        TestClient client = fixture.client(peer);
        assertThat(client.submit(ProduceFrames.produce(1, 10)).await().kind()).isEqualTo("fallBack:NO_PROVIDER");
        assertThat(fixture.meters.value(Meter.LINK_FAILURES, "provider")).isPositive();
        client.close();
    }

    @Test
    void shouldAnswerWithLessWhereMemoryIsSmallerThanTheClientsLimits() throws IOException {
        int memoryBytes = 1 << 16;
        fixture = new FastPathFixture(
                transport("auto", memoryBytes), ControlPorts.NONE, FastPathFixture.REGISTERED_MEMORY);
        peer = fixture.peer();
        peer.run(() -> {
            PeerLog log = peer.log("cars", 0);
            for (int i = 0; i < 40; i++) {
                log.append("v".repeat(3_000));
            }
            log.commit();
        });
        TestClient client = fixture.client(peer);
        long next = 0;
        while (next < 40) {
            TestClient.Answer answer =
                    client.submit(fetch().partition(0, next, MB).bytes()).await();
            assertThat(answer.kind()).isEqualTo("respond");
            byte[] records = FetchAnswers.records(FetchAnswers.only(FetchAnswers.parse(answer.response())));
            assertThat(records).hasSizeBetween(3_000, memoryBytes / 4);
            next += records.length / 3_000;
        }
        client.close();
    }

    @Test
    void shouldTakeTcpWhileAllMemoryForReadingIsInUse() throws IOException {
        fixture = new FastPathFixture(transport("auto", 1 << 16), ControlPorts.NONE, FastPathFixture.REGISTERED_MEMORY);
        peer = fixture.peer();
        PeerLog log = peer.on(() -> peer.log("cars", 0));
        peer.run(() -> {
            log.append("v".repeat(20_000));
            log.commit();
        });
        List<TestClient> clients = new ArrayList<>();
        List<String> answers = new ArrayList<>();
        List<io.netty.buffer.ByteBuf> kept = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            TestClient client = fixture.client(peer);
            client.keptResponses = kept;
            clients.add(client);
            answers.add(
                    client.submit(fetch().partition(0, 0, MB).bytes()).await().kind());
        }
        assertThat(answers)
                .as("32 KiB of 64 KiB for one, the slots of the next, and no room for its records")
                .contains("respond", "fallBack:LIMIT");
        assertThat(fixture.meters.value(Meter.READ_MEMORY_IN_USE_BYTES)).isPositive();
        kept.forEach(io.netty.buffer.ByteBuf::release);
        await("released by another thread than the event loop's")
                .atMost(SOON)
                .until(() -> fixture.meters.value(Meter.READ_MEMORY_IN_USE_BYTES) == 0);
        TestClient last = clients.get(3);
        last.keptResponses = null;
        await().atMost(SOON)
                .until(
                        () -> last.submit(fetch().partition(0, 0, MB).bytes())
                                .await()
                                .kind(),
                        "respond"::equals);
        clients.forEach(TestClient::close);
    }
}
