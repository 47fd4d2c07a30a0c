// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two connections, or two requests, want the same nonce at the same time. One gets it. */
@Timeout(60)
class NonceRaceTest {
    private static final int MEETINGS = 1_000;
    /** The threads meet once for this many nonces, because a meeting takes longer than a race. */
    private static final int NONCES = 100;

    private final NonceTable nonces = new NonceTable(NONCES, () -> 0);
    private final String[] issued = new String[NONCES];
    private final AtomicInteger[] taken = new AtomicInteger[NONCES];

    private interface Attempt {
        boolean take(String connection, String nonce);
    }

    private boolean observe(String connection, String nonce) {
        return nonces.observe(
                new ObservedConnection(connection, nonce, "PLAINTEXT", "User:" + connection, false, null),
                SessionLifetime.UNLIMITED);
    }

    @Test
    void shouldBeUsedOnce() throws Exception {
        race((connection, nonce) -> nonces.use(nonce));
    }

    @Test
    void shouldBeShownByOneConnection() throws Exception {
        race(this::observe);
    }

    private void race(Attempt attempt) throws Exception {
        CyclicBarrier meeting = new CyclicBarrier(2);
        CompletableFuture<Void> other = CompletableFuture.runAsync(
                () -> takeAll("b", attempt, meeting), task -> new Thread(task, "b").start());
        takeAll("a", attempt, meeting);
        other.get(10, TimeUnit.SECONDS);
    }

    private void takeAll(String connection, Attempt attempt, CyclicBarrier meeting) {
        try {
            for (int i = 0; i < MEETINGS; i++) {
                if (connection.equals("a")) {
                    issueAll();
                }
                meeting.await(20, TimeUnit.SECONDS);
                for (int n = 0; n < NONCES; n++) {
                    if (attempt.take(connection, issued[n])) {
                        taken[n].incrementAndGet();
                    }
                }
                meeting.await(20, TimeUnit.SECONDS);
                for (int n = 0; n < NONCES && connection.equals("a"); n++) {
                    assertThat(taken[n]).as("meeting %d, nonce %d", i, n).hasValue(1);
                }
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void issueAll() {
        nonces.forgetLink(1);
        for (int n = 0; n < NONCES; n++) {
            issued[n] = nonces.issue(1);
            taken[n] = new AtomicInteger();
        }
        assertThat(issued).as("as many as are allowed").doesNotContainNull();
        assertThat(nonces.issue(1)).as("one more").isNull();
    }
}
