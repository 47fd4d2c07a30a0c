// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.link.meter.Meter;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Answers over TCP for clients that do not read them. */
@Timeout(60)
class SidecarOutboundTest extends SidecarFixture {
    private static final Duration SOON = Duration.ofSeconds(30);
    /** More than the sockets of a connection buffer. */
    private static final int LARGE_BYTES = 20 << 20;

    private static final byte[] LARGE = WireClient.request(ECHO, 0, 1, new byte[LARGE_BYTES]);

    private void restart(Map<String, String> settings) throws Exception {
        sidecar.close();
        sidecar = start(settings);
    }

    private long held(String kind) {
        return sidecar.meters().value(Meter.OUTBOUND_BYTES, kind);
    }

    private WireClient clientThatDoesNotRead() throws IOException {
        WireClient client = client();
        client.send(LARGE);
        await().atMost(SOON).until(() -> held("unsent") >= LARGE_BYTES);
        return client;
    }

    private static void receiveLarge(WireClient client) throws IOException {
        assertThat(client.receive().remaining()).isGreaterThan(LARGE_BYTES);
    }

    private void awaitNothingHeld() {
        await().atMost(SOON).until(() -> held("unsent") == 0 && held("received") == 0);
    }

    @Test
    void shouldLeaveAResponseInItsSocketUntilTheBudgetHasRoom() throws Exception {
        restart(Map.of("max.outbound.bytes", Integer.toString(LARGE_BYTES * 3 / 2)));
        try (WireClient slow = clientThatDoesNotRead();
                WireClient next = client();
                WireClient small = client()) {
            next.send(LARGE);
            await().atMost(SOON).until(() -> sidecar.meters().value(Meter.OUTBOUND_WAITS) == 1);
            small.send(WireClient.request(ECHO, 0, 2));
            assertThat(small.receive().getInt()).isEqualTo(2);
            assertThat(held("unsent") + held("received")).isLessThan(LARGE_BYTES * 3 / 2);

            receiveLarge(slow);
            receiveLarge(next);
            awaitNothingHeld();
            assertThat(sidecar.meters().value(Meter.OUTBOUND_WAITS)).isZero();
        }
    }

    @Test
    void shouldGiveBackWhatAClientHeldThatLeaves() throws Exception {
        restart(Map.of("max.outbound.bytes", Integer.toString(LARGE_BYTES * 3 / 2)));
        try (WireClient next = client()) {
            WireClient slow = clientThatDoesNotRead();
            WireClient leaving = client();
            leaving.send(LARGE);
            await().atMost(SOON).until(() -> sidecar.meters().value(Meter.OUTBOUND_WAITS) == 1);
            leaving.close();
            await().atMost(SOON).until(() -> sidecar.meters().value(Meter.OUTBOUND_WAITS) == 0);
            slow.close();
            next.send(LARGE);
            receiveLarge(next);
        }
        awaitNothingHeld();
    }

    @Test
    void shouldCloseAClientThatTakesNothing() throws Exception {
        restart(Map.of("client.stall.timeout.ms", "1000"));
        WireClient slow = clientThatDoesNotRead();
        await().atMost(SOON).until(() -> sidecar.meters().value(Meter.DISCONNECTS, "stalled") == 1);
        awaitNothingHeld();
        slow.close();
    }
}
