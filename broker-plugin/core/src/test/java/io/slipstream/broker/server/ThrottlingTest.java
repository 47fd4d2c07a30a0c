// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.broker.client.ControlClient;
import io.slipstream.broker.client.RingClient;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.ring.RingFrameIn;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A broker may end many throttlings at once, long after it answered the requests. Credits do not bound their number.
 */
@Timeout(60)
class ThrottlingTest extends PluginServerFixture {
    private static final int REQUESTS = 100;

    @Test
    void shouldTellTheProxyOnceAndKeepTheLinkWhenManyThrottlingsEndAtOnce() throws Exception {
        server.close();
        server = start(Map.of("slipstream.ring.credits", "1"));
        List<RingFrameIn> throttled = new CopyOnWriteArrayList<>();
        line.beforeAnswer = frame -> {
            throttled.add(frame);
            frame.link.throttle(frame.session, true);
        };
        try (ControlClient control = new ControlClient(socket);
                RingClient ring = new RingClient(control, 1)) {
            int session = ring.bind(nonce -> observe("a", nonce));
            for (int i = 0; i < REQUESTS; i++) {
                ring.await(ring.send(session, ByteBuffer.allocate(10)));
                assertThat(ring.throttled).as("sent before the answer").isTrue();
            }

            throttled.forEach(frame -> frame.link.throttle(frame.session, false));
            ring.pollUntil("the end of throttling", () -> !ring.throttled);

            line.beforeAnswer = frame -> {};
            ring.await(ring.send(session, ByteBuffer.allocate(10)));
            assertThat(ring.throttleFrames).isEqualTo(2);
            assertThat(counters.get(PluginMeter.THROTTLE_FRAMES)).isEqualTo(2);
            assertThat(counters.get(PluginMeter.LINKS_BROKEN)).isZero();
        }
    }
}
