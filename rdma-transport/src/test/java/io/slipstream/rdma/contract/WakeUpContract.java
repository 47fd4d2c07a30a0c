// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.rdma.CompletionStatus;
import io.slipstream.rdma.Opcode;
import io.slipstream.rdma.PostStatus;
import io.slipstream.rdma.WorkCompletion;
import io.slipstream.rdma.WorkRequest;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sleeping on the event descriptor never misses a completion. */
@Timeout(120)
public abstract class WakeUpContract {
    /** Both sides sleep once in each round. */
    private static final int PING_PONGS = Rounds.of(50_000);

    private static final int SLEEP_LIMIT_MS = 5_000;

    protected abstract ProviderFixture openFixture() throws Exception;

    private ProviderFixture fixture;
    private ConnectedPeers peers;

    @BeforeEach
    void connect() throws Exception {
        fixture = openFixture();
        peers = new ConnectedPeers(fixture);
    }

    @AfterEach
    void disconnect() throws Exception {
        peers.close();
        fixture.close();
    }

    @Test
    void shouldLoseNoWakeUpInSleepingPingPongs() throws Exception {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread echo = new Thread(() -> {
            try {
                play(peers.target, false);
            } catch (Throwable e) {
                failure.set(e);
            }
        });
        echo.start();
        try {
            play(peers.initiator, true);
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
        echo.join(TimeUnit.SECONDS.toMillis(60));
        assertThat(echo.isAlive()).isFalse();
        if (failure.get() != null) {
            throw new AssertionError("a wake-up was lost", failure.get());
        }
    }

    private static void play(Peer peer, boolean serves) throws Exception {
        try (Sleeper sleeper = new Sleeper(peer.completions)) {
            peer.postReceives(2);
            if (serves) {
                hit(peer, 0);
            }
            WorkCompletion[] completions = {new WorkCompletion(), new WorkCompletion()};
            int last = PING_PONGS - 1;
            int received = -1;
            while (received < last) {
                int count = peer.completions.poll(completions);
                if (count == 0) {
                    peer.completions.arm();
                    count = peer.completions.poll(completions);
                }
                if (count == 0) {
                    assertThat(sleeper.sleep(SLEEP_LIMIT_MS))
                            .as("woken after ball %d", received)
                            .isTrue();
                    peer.completions.acknowledgeEvents();
                }
                for (int i = 0; i < count; i++) {
                    assertThat(completions[i].status).isEqualTo(CompletionStatus.SUCCESS);
                    assertThat(completions[i].imm).isEqualTo(++received);
                    peer.postReceives(1);
                    if (!serves) {
                        hit(peer, received);
                    } else if (received < last) {
                        hit(peer, received + 1);
                    }
                }
            }
        }
    }

    private static void hit(Peer peer, int imm) {
        WorkRequest ball = peer.request(Opcode.WRITE_WITH_IMM, null, 0);
        ball.imm = imm;
        ball.signaled = false;
        assertThat(peer.queuePair.post(ball)).isEqualTo(PostStatus.POSTED);
    }

    @Test
    void shouldNotBeReadableWithoutACompletion() throws Exception {
        try (Sleeper sleeper = new Sleeper(peers.target.completions)) {
            peers.target.completions.arm();
            peers.target.assertNoCompletion();
            assertThat(sleeper.sleep(50)).isFalse();
        }
    }

    @Test
    void shouldStayReadableUntilAcknowledged() throws Exception {
        Peer target = peers.target;
        try (Sleeper sleeper = new Sleeper(target.completions)) {
            target.postReceives(1);
            target.completions.arm();
            target.assertNoCompletion();
            hit(peers.initiator, 1);
            assertThat(sleeper.sleep(SLEEP_LIMIT_MS)).isTrue();
            assertThat(sleeper.sleep(SLEEP_LIMIT_MS)).isTrue();
            target.completions.acknowledgeEvents();
            assertThat(target.awaitCompletion().imm).isEqualTo(1);
            assertThat(sleeper.sleep(50)).isFalse();
        }
    }

    @Test
    void shouldStayArmedWhenTheLastLookFoundSomething() throws Exception {
        Peer target = peers.target;
        try (Sleeper sleeper = new Sleeper(target.completions)) {
            target.postReceives(2);
            // Its event is an earlier one.
            hit(peers.initiator, 1);
            target.completions.acknowledgeEvents();
            target.completions.arm();
            assertThat(target.awaitCompletion().imm).isEqualTo(1);
            target.assertNoCompletion();

            hit(peers.initiator, 2);

            assertThat(sleeper.sleep(SLEEP_LIMIT_MS)).isTrue();
            target.completions.acknowledgeEvents();
            assertThat(target.awaitCompletion().imm).isEqualTo(2);
        }
    }

    @Test
    void shouldWakeForItsOwnRequests() throws Exception {
        Peer initiator = peers.initiator;
        peers.target.postReceives(1);
        try (Sleeper sleeper = new Sleeper(initiator.completions)) {
            initiator.completions.arm();
            initiator.assertNoCompletion();
            initiator.queuePair.post(initiator.request(Opcode.WRITE_WITH_IMM, null, 0));
            assertThat(sleeper.sleep(SLEEP_LIMIT_MS)).isTrue();
            initiator.completions.acknowledgeEvents();
            initiator.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.SUCCESS);
        }
    }

    @Test
    void shouldWakeWhenAHeldRequestCanGoOn() throws Exception {
        Peer initiator = peers.initiator;
        try (Sleeper sleeper = new Sleeper(initiator.completions)) {
            initiator.queuePair.post(initiator.request(Opcode.WRITE_WITH_IMM, null, 0));
            initiator.completions.arm();
            initiator.assertNoCompletion();
            peers.target.postReceives(1);
            assertThat(sleeper.sleep(SLEEP_LIMIT_MS)).isTrue();
            initiator.completions.acknowledgeEvents();
            initiator.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.SUCCESS);
        }
    }

    @Test
    void shouldWakeWhenTheReceiverStaysUnready() throws Exception {
        Peer initiator = peers.initiator;
        try (Sleeper sleeper = new Sleeper(initiator.completions)) {
            initiator.queuePair.post(initiator.request(Opcode.WRITE_WITH_IMM, null, 0));
            initiator.completions.arm();
            initiator.assertNoCompletion();
            assertThat(sleeper.sleep(SLEEP_LIMIT_MS)).isTrue();
            initiator.completions.acknowledgeEvents();
            initiator.awaitCompletion(Opcode.WRITE_WITH_IMM, CompletionStatus.RNR_RETRY_EXC_ERR);
        }
    }

    @Test
    void shouldWakeWhenThePeerLeaves() throws Exception {
        Peer initiator = peers.initiator;
        initiator.postReceives(1);
        try (Sleeper sleeper = new Sleeper(initiator.completions)) {
            initiator.completions.arm();
            initiator.assertNoCompletion();
            peers.target.queuePair.close();
            assertThat(sleeper.sleep(SLEEP_LIMIT_MS)).isTrue();
            initiator.completions.acknowledgeEvents();
            initiator.awaitCompletion(Opcode.RECV, CompletionStatus.WR_FLUSH_ERR);
        }
    }
}
