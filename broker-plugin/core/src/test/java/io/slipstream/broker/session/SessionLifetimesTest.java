// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class SessionLifetimesTest {
    private final SessionLifetimes lifetimes = new SessionLifetimes();

    private SessionLifetime observe(int connection) {
        SessionLifetime lifetime = new ScriptedLifetime(new AtomicBoolean());
        lifetimes.observe(new ObservedChannel("c" + connection, lifetime));
        return lifetime;
    }

    @Test
    void shouldKnowAConnectionAsLongAsFewerThanAGenerationCameAfterIt() {
        SessionLifetime first = observe(0);
        for (int i = 1; i < SessionLifetimes.GENERATION_SIZE; i++) {
            observe(i);
            assertThat(lifetimes.of("c0")).isSameAs(first);
        }
        for (int i = 0; i < 10 * SessionLifetimes.GENERATION_SIZE; i++) {
            observe(100_000 + i);
        }
        assertThat(lifetimes.of("c0")).as("bounded").isNull();
    }

    @Test
    void shouldForgetAll() {
        observe(1);
        lifetimes.clear();
        assertThat(lifetimes.of("c1")).isNull();
    }
}
