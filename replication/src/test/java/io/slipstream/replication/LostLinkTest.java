// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.replication.ReplicationMeters.Fallback;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.ClientResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The link is lost, and the fetcher and its connection to the leader stay. */
@Timeout(60)
class LostLinkTest extends FollowerFixture {
    private static final int LOSSES = 3;

    @Test
    void shouldTakeTcpAtOnceAndComeBack() throws Exception {
        for (int i = 1; i <= LOSSES; i++) {
            awaitRdma();
            plugin.close();
            long startNs = System.nanoTime();

            assertThat(fetch()).as("answer by RDMA").isNull();
            assertThat(System.nanoTime() - startNs).isLessThan(AT_ONCE.toNanos());
            await().atMost(PATIENCE).until(() -> meters.get(PluginMeter.REPLICATION_LINKS) == 0);

            plugin.start();
            awaitRdma();
            awaitSessions(1);
            assertThat(meters.get(PluginMeter.REPLICATION_LINKS)).isEqualTo(1);
            assertThat(sender.nonces).as("bindings").hasValue(i + 1);
            assertThat(plugin.meters.get(PluginMeter.LINKS_OPEN)).isEqualTo(1);
        }
    }

    /** A session of a lost link is of no use, so the fetches do not try it again and again. */
    @Test
    void shouldForgetTheSessionOfALostLink() {
        awaitRdma();
        plugin.close();
        await().atMost(PATIENCE).until(() -> meters.get(PluginMeter.REPLICATION_LINKS) == 0);
        await().atMost(PATIENCE).until(() -> {
            long lost = fallbacks(Fallback.LINK_LOST);
            return fetch() == null && fallbacks(Fallback.LINK_LOST) == lost;
        });
        long lost = fallbacks(Fallback.LINK_LOST);

        for (int i = 0; i < 5; i++) {
            assertThat(fetch()).isNull();
        }

        assertThat(fallbacks(Fallback.LINK_LOST)).isEqualTo(lost);
    }

    /** The fetch in the ring goes on over TCP long before its time is over. */
    @Test
    void shouldEndTheFetchThatIsInTheRing() throws Exception {
        awaitRdma();
        long landed = plugin.meters.get(PluginMeter.REQUESTS_LANDED);
        plugin.withhold(true);
        CompletableFuture<ClientResponse> fetch = CompletableFuture.supplyAsync(this::fetch);
        await().atMost(PATIENCE).until(() -> plugin.meters.get(PluginMeter.REQUESTS_LANDED) > landed);

        plugin.close();

        assertThat(fetch.get(AT_ONCE.toMillis(), TimeUnit.MILLISECONDS)).isNull();
        assertThat(fallbacks(Fallback.LINK_LOST)).isEqualTo(1);
        plugin.withhold(false);
        plugin.start();
        awaitRdma();
    }
}
