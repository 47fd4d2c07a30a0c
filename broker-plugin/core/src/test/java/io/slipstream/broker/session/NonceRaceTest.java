// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.rdma.provider.TwoThreads;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two connections, or two requests, want the same nonce at the same time. One gets it. */
@Timeout(60)
class NonceRaceTest {
    private final NonceTable nonces = new NonceTable(1, () -> 0);
    private String nonce;
    private boolean first;
    private boolean second;

    @BeforeEach
    void issue() {
        nonces.forgetLink(1);
        nonce = nonces.issue(1);
        assertThat(nonce).as("as many as are allowed").isNotNull();
        assertThat(nonces.issue(1)).as("one more").isNull();
    }

    private void checkAndIssue() {
        assertThat(first ^ second).as("%s and %s", first, second).isTrue();
        issue();
    }

    @Test
    void shouldBeUsedOnce() throws Exception {
        TwoThreads.race(() -> first = nonces.use(nonce), () -> second = nonces.use(nonce), this::checkAndIssue);
    }

    @Test
    void shouldBeShownByOneConnection() throws Exception {
        TwoThreads.race(() -> first = observe("a"), () -> second = observe("b"), this::checkAndIssue);
    }

    private boolean observe(String connection) {
        return nonces.observe(
                new ObservedConnection(connection, nonce, "PLAINTEXT", "User:" + connection, false, null),
                SessionLifetime.UNLIMITED);
    }
}
