// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.server.LeaderPlugin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LeaderLinksTest extends FollowerFixture {
    private static long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }

    private static boolean hasThread() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().startsWith("slipstream-replication"));
    }

    @Test
    void shouldKeepOneLinkToALeader() {
        assertThat(links.to(LeaderPlugin.NODE, "127.0.0.1")).isSameAs(links.to(LeaderPlugin.NODE, "other"));
        assertThat(links.to(LeaderPlugin.NODE + 1, "127.0.0.1")).isNotSameAs(links.to(LeaderPlugin.NODE, "127.0.0.1"));
    }

    /** The leader gets its ring back, and this broker its descriptors. */
    @Test
    void shouldGiveAllBackAtClose() throws Exception {
        awaitRdma();

        long startNs = System.nanoTime();
        links.close();

        assertThat(System.nanoTime() - startNs).isLessThan(AT_ONCE.toNanos());
        assertThat(hasThread()).isFalse();
        assertThat(meters.get(PluginMeter.REPLICATION_LINKS)).isZero();
        await().atMost(PATIENCE).until(() -> plugin.meters.get(PluginMeter.LINKS_OPEN) == 0 && plugin.sessions() == 0);
        assertThat(fetch()).isNull();
    }

    @Test
    void shouldLeakNoDescriptorsWhenSwitchedOffAndOn() throws Exception {
        awaitRdma();
        fetcher.close();
        links.close();
        await().atMost(PATIENCE).until(() -> plugin.meters.get(PluginMeter.LINKS_OPEN) == 0);
        long first = descriptors();
        for (int i = 0; i < 3; i++) {
            startFollower();
            awaitRdma();
            fetcher.close();
            links.close();
        }
        await().atMost(PATIENCE).until(() -> descriptors() <= first);
    }

    @Test
    void shouldLeakNoDescriptorsOverLossesOfTheLink() throws Exception {
        long first = 0;
        for (int i = 0; i < 6; i++) {
            awaitRdma();
            if (i == 1) {
                first = descriptors();
            }
            if (i == 5) {
                long expected = first;
                await().atMost(PATIENCE).until(() -> descriptors() <= expected);
            }
            plugin.close();
            assertThat(fetch()).isNull();
            plugin.start();
        }
    }
}
