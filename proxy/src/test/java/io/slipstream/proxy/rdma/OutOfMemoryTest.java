// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.rdma;

import static io.slipstream.proxy.fetch.FetchFrames.fetch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.slipstream.link.meter.Meter;
import io.slipstream.link.settings.ControlPorts;
import io.slipstream.link.settings.TransportSettings;
import io.slipstream.rdma.DeviceConfig;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What throws, or never completes, ends one request or one link, and takes nothing with it. */
@Timeout(60)
class OutOfMemoryTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int VALUE_BYTES = 100_000;

    private FastPathFixture fixture;
    private PluginPeer peer;
    private TestClient client;

    /** Refuses large buffers while {@code exhausted}, as Netty does at -XX:MaxDirectMemorySize. */
    private static final class Exhaustible extends AbstractByteBufAllocator {
        volatile boolean exhausted;

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            return UnpooledByteBufAllocator.DEFAULT.heapBuffer(initialCapacity, maxCapacity);
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            if (exhausted && initialCapacity >= VALUE_BYTES) {
                throw new OutOfMemoryError("as the test wants it");
            }
            return UnpooledByteBufAllocator.DEFAULT.directBuffer(initialCapacity, maxCapacity);
        }
    }

    private void start(FastPathFixture started) throws IOException {
        start(started, PeerLink.SLOTS);
    }

    private void start(FastPathFixture started, int offeredSlots) throws IOException {
        fixture = started;
        peer = fixture.peer();
        peer.offeredSlots = offeredSlots;
        client = fixture.client(peer);
        PeerLog log = peer.on(() -> peer.log("cars", 0));
        peer.run(() -> {
            log.append("v".repeat(VALUE_BYTES));
            log.commit();
        });
    }

    private TestClient.Answer fetchAll() {
        return client.submit(fetch().with(data -> data.setMaxWaitMs(0))
                        .partition(0, 0, 1 << 20)
                        .bytes())
                .await();
    }

    @AfterEach
    void stop() throws IOException {
        SlowReads.withheldAboveBytes = Integer.MAX_VALUE;
        RegisteredOnlyProvider.outOfMemory = false;
        RegisteredOnlyProvider.broken = false;
        client.close();
        fixture.close();
        peer.close();
    }

    @Test
    void shouldFailTheFetchAloneIfThereIsNoMemoryForIt() throws IOException {
        Exhaustible memory = new Exhaustible();
        memory.exhausted = true;
        start(new FastPathFixture(memory));
        // The first answer of the plugin is handled within the control connection, which all links share.
        for (int i = 0; i < 3; i++) {
            assertThat(fetchAll().kind()).isEqualTo("fallBack:INTERNAL_ERROR");
        }
        assertThat(fixture.meters.value(Meter.LINKS_UP)).isEqualTo(1);

        memory.exhausted = false;
        await().atMost(SOON).until(() -> fetchAll().kind(), "respond"::equals);
        assertThat(fixture.meters.value(Meter.LINKS_UP)).isEqualTo(1);
    }

    @Test
    void shouldEndTheLinkIfAReadDoesNotComplete() throws IOException {
        start(new FastPathFixture(
                new TransportSettings(
                        "auto", DeviceConfig.DEFAULT, TransportSettings.SPIN_NS, FastPathFixture.READ_MEMORY_BYTES),
                ControlPorts.NONE,
                FastPathFixture.REGISTERED_MEMORY,
                1_000));
        await().atMost(SOON).until(() -> fetchAll().kind(), "respond"::equals);
        SlowReads.withheldAboveBytes = VALUE_BYTES / 2;
        TestClient.Request reading = client.submit(fetch().with(data -> data.setMaxWaitMs(0))
                .partition(0, 0, 1 << 20)
                .bytes());
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.LINK_FAILURES, "timeout") == 1);
        SlowReads.withheldAboveBytes = Integer.MAX_VALUE;
        assertThat(reading.await().kind()).startsWith("fallBack:");
    }

    @Test
    void shouldSetALinkUpAgainIfThereWasNoMemoryForIt() throws IOException {
        RegisteredOnlyProvider.outOfMemory = true;
        start(new FastPathFixture(FastPathFixture.REGISTERED_MEMORY));
        assertThat(fetchAll().kind()).startsWith("fallBack");
        await().atMost(SOON).until(() -> fixture.meters.value(Meter.LINK_FAILURES, "connect") > 0);
        RegisteredOnlyProvider.outOfMemory = false;
        await().atMost(SOON).until(() -> fetchAll().kind(), "respond"::equals);
    }

    @Test
    void shouldSetALinkUpAgainIfTheDeviceThrew() throws IOException {
        RegisteredOnlyProvider.broken = true;
        start(new FastPathFixture(FastPathFixture.REGISTERED_MEMORY));
        assertThat(fetchAll().kind()).startsWith("fallBack");
        assertThat(fixture.meters.value(Meter.LINK_FAILURES, "internal_error")).isPositive();
        RegisteredOnlyProvider.broken = false;
        await().atMost(SOON).until(() -> fetchAll().kind(), "respond"::equals);
    }

    @Test
    void shouldSetALinkUpAgainIfThePluginOfferedAnImpossibleOne() throws IOException {
        start(new FastPathFixture(FastPathFixture.REGISTERED_MEMORY), -1);
        assertThat(fetchAll().kind()).startsWith("fallBack");
        assertThat(fixture.meters.value(Meter.LINK_FAILURES, "protocol")).isPositive();
        peer.offeredSlots = PeerLink.SLOTS;
        await().atMost(SOON).until(() -> fetchAll().kind(), "respond"::equals);
    }
}
