package io.slipstream.broker.landing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.broker.session.BoundSession;
import io.slipstream.broker.session.ScriptedLifetime;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LandingRightsTest {
    private static final long LEASE_NS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int ID = 7;

    private final MemorySegment memory = new MemorySegment();
    private final MemorySegment.Logs logs = new MemorySegment.Logs();
    private final LandingTable table = new LandingTable(logs, new LandingConfig(4096, 1, LEASE_NS), new PluginMeters());
    private final LinkLandings ofLink = new LinkLandings(null, null);
    private final MemorySegment.Link link = new MemorySegment.Link(ofLink);
    private final Landing landing =
            new Landing(table, memory.log, memory.segment, link, ID, System.nanoTime() - 2 * Landing.ALONE_NS);
    private final AtomicBoolean isExpired = new AtomicBoolean();
    private final LandingRights rights = new LandingRights(table, logs, LEASE_NS, LEASE_NS);

    @BeforeEach
    void begin() {
        landing.extend(memory.window());
        landing.begin();
        ofLink.put(landing);
        rights.lent(
                ofLink,
                ID,
                new BoundSession(
                        1, 1, "connection", "CLIENTS", "User:alice", "context", new ScriptedLifetime(isExpired)),
                "topic");
    }

    @AfterEach
    void end() throws InterruptedException {
        rights.close();
        table.remove(landing);
        table.close();
    }

    @Test
    void shouldTakeTheSegmentBackFromWhomMayNotWriteAnyMoreAndCutWhoKeepsIt() throws Exception {
        awaitUntil(() -> logs.asked.get() >= 5);
        assertThat(landing.state()).isEqualTo(Landing.State.ACTIVE);

        logs.isDenied = true;
        awaitUntil(() -> landing.state() == Landing.State.REVOKED);
        assertThat(link.revoked).hasSize(1);
        awaitUntil(() -> link.abandoned != null);
    }

    @Test
    void shouldTakeTheSegmentBackFromWhoseAuthenticationExpired() {
        isExpired.set(true);
        awaitUntil(() -> landing.state() == Landing.State.REVOKED);
    }

    @Test
    void shouldLeaveALinkAloneThatHasGivenTheLandingBack() throws Exception {
        ofLink.remove(landing);
        logs.isDenied = true;
        awaitUntil(() -> rights.size() == 0);
        assertThat(landing.state()).isEqualTo(Landing.State.ACTIVE);
        assertThat(link.abandoned).isNull();
    }

    private static void awaitUntil(java.util.concurrent.Callable<Boolean> condition) {
        await().pollInSameThread().atMost(Duration.ofSeconds(10)).until(condition);
    }
}
