// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class NonceTableTest {
    private final AtomicLong clockNs = new AtomicLong(-5);
    private final NonceTable nonces = new NonceTable(100, clockNs::get);

    private static ObservedConnection connection(String id, String nonce) {
        return new ObservedConnection(id, nonce, "PLAINTEXT", "User:ANONYMOUS", false, null);
    }

    @Test
    void shouldBeUsableOnceByItsLinkOnly() {
        String nonce = nonces.issue(1);

        assertThat(nonces.observed(1, nonce)).isNull();
        assertThat(nonces.observe(connection("c", nonce), SessionLifetime.UNLIMITED))
                .isTrue();
        assertThat(nonces.observe(connection("d", nonce), SessionLifetime.UNLIMITED))
                .isFalse();
        assertThat(nonces.observed(2, nonce)).isNull();
        assertThat(nonces.observed(1, nonce).connection().connectionId()).isEqualTo("c");
        assertThat(nonces.use(nonce)).isTrue();
        assertThat(nonces.use(nonce)).isFalse();
        assertThat(nonces.isEmpty()).isTrue();
    }

    @Test
    void shouldExpire() {
        String nonce = nonces.issue(1);
        String observed = nonces.issue(1);
        nonces.observe(connection("c", observed), SessionLifetime.UNLIMITED);
        clockNs.addAndGet(NonceTable.LIFETIME_NS);

        assertThat(nonces.observe(connection("c", nonce), SessionLifetime.UNLIMITED))
                .isFalse();
        assertThat(nonces.observed(1, observed)).isNull();
        assertThat(nonces.expire()).isEqualTo(2);
        assertThat(nonces.expire()).isZero();
    }

    @Test
    void shouldBeBoundedAndUnique() {
        Set<String> issued = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            issued.add(nonces.issue(i % 3));
        }
        assertThat(issued).hasSize(100).doesNotContainNull();
        assertThat(nonces.issue(1)).isNull();

        nonces.forgetLink(0);
        assertThat(nonces.issue(1)).isNotNull();
    }

    @Test
    void shouldForgetConnectionsThatClosed() {
        String nonce = nonces.issue(1);
        nonces.observe(connection("c", nonce), SessionLifetime.UNLIMITED);
        nonces.forget("d");
        assertThat(nonces.observed(1, nonce)).isNotNull();

        nonces.forget("c");
        assertThat(nonces.use(nonce)).isFalse();
    }
}
