// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.link.meter.Meter;
import io.slipstream.proxy.ring.ProduceFrames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The order of Produce requests that leave the ring's queue for TCP, on a ring without credit. */
@Timeout(60)
class ProduceOrderTest {
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final int RING_WAIT_MS = 400;

    private final List<String> ended = Collections.synchronizedList(new ArrayList<>());
    private final List<PeerLink.Landed> landed = new ArrayList<>();
    private FastPathFixture fixture;
    private PluginPeer peer;
    private TestClient client;

    @BeforeEach
    void useAllCredits() throws Exception {
        fixture = new FastPathFixture(FastPathFixture.ANY_MEMORY, RING_WAIT_MS, 10_000, 10_000);
        peer = fixture.peer();
        client = fixture.client(peer);
        for (int i = 0; i < PluginPeer.CREDITS; i++) {
            client.submit(ProduceFrames.produce(i, 10));
            landed.add(peer.landed.poll(10, TimeUnit.SECONDS));
        }
        assertThat(landed).doesNotContainNull();
    }

    @AfterEach
    void stop() throws IOException {
        peer.run(() -> peer.links.values().forEach(PeerLink::check));
        client.close();
        fixture.close();
        peer.close();
    }

    private TestClient.Request submit(String name, int bytes) {
        TestClient.Request request = client.submit(ProduceFrames.produce(100, bytes));
        request.answer.thenRun(() -> ended.add(name));
        return request;
    }

    private void awaitTheRingToReturnOne() {
        await().atMost(SOON)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> fixture.meters.value(Meter.CREDITS_EXHAUSTED, "fell_back") >= 1);
    }

    private void answer(List<PeerLink.Landed> frames) {
        peer.run(() -> frames.forEach(frame -> peer.link().reply(frame, 0, "ok".getBytes(StandardCharsets.UTF_8))));
    }

    @Test
    void shouldSendWhatTheRingReturnsBeforeLaterRequestsThatWaitForTcp() {
        TestClient.Request returned = submit("returned", 10);
        TestClient.Request large = submit("too large for the ring", PluginPeer.RING_BYTES);
        awaitTheRingToReturnOne();
        assertThat(ended).as("requests in the ring are unanswered").isEmpty();

        answer(landed);
        assertThat(returned.await().kind()).startsWith("fallBack:");
        assertThat(large.await().kind()).startsWith("fallBack:");
        await().atMost(SOON).until(() -> ended.size() == 2);
        assertThat(ended).containsExactly("returned", "too large for the ring");
    }

    @Test
    void shouldNotWriteARequestThatWaitsBehindOneThatTheRingReturned() {
        // Too large for what is released, so that the ring is not taken for stuck, and a small request would have room.
        TestClient.Request returned = submit("returned", PluginPeer.RING_BYTES - 600);
        client.on(() -> null);
        answer(landed.subList(0, 1));
        long beganNs = System.nanoTime();
        await().until(() -> System.nanoTime() - beganNs > TimeUnit.MILLISECONDS.toNanos(RING_WAIT_MS / 2));
        TestClient.Request later = submit("later", 10);
        awaitTheRingToReturnOne();

        answer(landed.subList(1, landed.size()));
        assertThat(returned.await().kind()).startsWith("fallBack:");
        assertThat(later.await().kind()).startsWith("fallBack:");
        await().atMost(SOON).until(() -> ended.size() == 2);
        assertThat(ended).containsExactly("returned", "later");
    }
}
