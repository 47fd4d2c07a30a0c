// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.broker.client.ControlClient;
import io.slipstream.broker.client.RingClient;
import io.slipstream.broker.client.TestProvider;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.broker.ring.RingFrameIn;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A broker may end many throttlings at once, long after it answered the requests. Credits do not bound their number.
 */
@Timeout(60)
class ThrottlingTest {
    private static final int REQUESTS = 100;

    @Test
    void shouldTellTheProxyOnceAndKeepTheLinkWhenManyThrottlingsEndAtOnce(@TempDir Path temporary) throws Exception {
        PluginMeters counters = new PluginMeters();
        EchoLine line = new EchoLine(1);
        List<RingFrameIn> throttled = new CopyOnWriteArrayList<>();
        line.beforeAnswer = frame -> {
            throttled.add(frame);
            frame.link.throttle(frame.session, true);
        };
        Path directory = temporary.resolve("s");
        Map<String, Object> originals = Map.of(
                "slipstream.directory",
                directory.toString(),
                "slipstream.provider",
                TestProvider.NAME,
                "slipstream.control.address",
                "",
                "slipstream.ring.credits",
                "1");
        try (PluginServer server = PluginServer.start(line, line.describe(originals, originals), counters);
                ControlClient control = new ControlClient(directory.resolve("cluster.7.sock"));
                RingClient ring = new RingClient(control, 1)) {
            int session = ring.bind(nonce -> server.sessions.onApiVersions(EchoLine.connection("a", nonce)));
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
