// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.broker.metrics.PluginMeter;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The steps to a binding, and what ends them. No fetch waits for one of them. */
@Timeout(60)
class LeaderSessionTest extends FollowerFixture {
    /** Several pauses after a refusal, and much less than that after an exclusion. */
    private static final Duration A_WHILE = Duration.ofMillis(2_500);

    private long refused() {
        return plugin.meters.registry.value(PluginMeter.GRANTS_REFUSED, "session", "rdma_off")
                + plugin.meters.registry.value(PluginMeter.GRANTS_REFUSED, "session", "not_bound");
    }

    /** Fetches for that time; each takes TCP. */
    private void fetchByTcp(Duration time) throws InterruptedException {
        long endNs = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - endNs < 0) {
            long startNs = System.nanoTime();
            assertThat(fetch()).isNull();
            assertThat(System.nanoTime() - startNs).as("a fetch waited").isLessThan(AT_ONCE.toNanos() / 3);
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    @Test
    void shouldShowOneNonceForEachBinding() {
        awaitRdma();
        for (int i = 0; i < 20; i++) {
            assertThat(fetch()).isNotNull();
        }

        assertThat(sender.nonces).hasValue(1);
        awaitSessions(1);
    }

    @Test
    void shouldPauseWhenTheLeaderRefusesTheNonce() throws Exception {
        sender.error = Errors.UNSUPPORTED_VERSION;

        fetchByTcp(A_WHILE);

        assertThat(sender.nonces.get()).as("attempts").isBetween(2, 4);
        sender.error = Errors.NONE;
        awaitRdma();
    }

    /** Kafka's sender finds that out with its next fetch. */
    @Test
    void shouldPauseWhenTheConnectionBreaksBelowTheNonce() throws Exception {
        sender.error = null;

        fetchByTcp(A_WHILE);

        assertThat(sender.nonces.get()).as("attempts").isBetween(2, 4);
        sender.error = Errors.NONE;
        awaitRdma();
    }

    @Test
    void shouldPauseWhenTheLeadersPluginDidNotSeeTheNonce() throws Exception {
        sender.arrives = false;

        fetchByTcp(A_WHILE);

        assertThat(refused()).as("attempts").isBetween(2L, 4L);
        sender.arrives = true;
        awaitRdma();
    }

    /** It asks again after half a minute only. */
    @Test
    void shouldPauseLongerWhenTheLeaderExcludesIt() throws Exception {
        plugin.close();
        plugin.set("slipstream.listeners.excluded", "PLAINTEXT");
        plugin.start();
        await().atMost(PATIENCE).pollInSameThread().until(() -> fetch() == null && refused() == 1);

        fetchByTcp(A_WHILE);

        assertThat(refused()).isEqualTo(1);
    }

    @Test
    void shouldBindWhenThePluginAppears() throws IOException, InterruptedException {
        plugin.close();
        fetchByTcp(Duration.ofMillis(300));

        plugin.start();

        awaitRdma();
    }

    /** A nonce that is on its way binds nothing. */
    @Test
    void shouldNotBindAfterClose() throws InterruptedException {
        sender.beforeAnswer = fetcher::close;
        await().atMost(PATIENCE).pollInSameThread().until(() -> fetch() == null && sender.nonces.get() == 1);

        fetchByTcp(Duration.ofMillis(1_500));

        assertThat(sender.nonces).hasValue(1);
        assertThat(plugin.sessions()).isZero();
    }
}
