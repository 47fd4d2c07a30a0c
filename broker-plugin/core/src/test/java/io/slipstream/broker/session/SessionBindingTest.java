// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.broker.config.Exclusions;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.protocol.control.ControlError;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SessionBindingTest {
    private final AtomicLong clockNs = new AtomicLong();
    /** Runs whenever the table of nonces looks at the clock. */
    private Runnable meanwhile = () -> {};

    private final NonceTable nonces = new NonceTable(100, () -> {
        meanwhile.run();
        return clockNs.get();
    });
    private final PluginMeters counters = new PluginMeters();
    private final SessionTable sessions = new SessionTable(nonces, counters, 10, 0, Exclusions.NONE);

    private static ObservedConnection connection(String nonce, boolean mayExpire) {
        return new ObservedConnection("c", nonce, "PLAINTEXT", "User:alice", mayExpire, "context");
    }

    @Test
    void shouldBindTheConnectionThatShowedTheNonceOnce() {
        String nonce = nonces.issue(1);
        sessions.onApiVersions(connection(nonce, false));

        SessionTable.Outcome outcome = sessions.confirm(1, nonce);
        assertThat(outcome.error()).isEqualTo(ControlError.NONE);
        assertThat(outcome.session().connection.principal()).isEqualTo("User:alice");
        assertThat(sessions.confirm(1, nonce).error()).isEqualTo(ControlError.NOT_BOUND);
        assertThat(counters.get(PluginMeter.SESSIONS_OPEN)).isEqualTo(1);
    }

    @Test
    void shouldNotKeepASessionWhoseConnectionClosesWhileItIsBound() {
        String nonce = nonces.issue(1);
        sessions.onApiVersions(connection(nonce, false));
        // After the table has found the nonce, and before it uses it.
        meanwhile = () -> sessions.onDisconnect("c");

        assertThat(sessions.confirm(1, nonce).error()).isEqualTo(ControlError.NOT_BOUND);
        assertThat(counters.get(PluginMeter.SESSIONS_OPEN)).isZero();
    }

    @Test
    void shouldNotBindAConnectionWhoseAuthenticationExpiresAtAnUnknownTime() {
        String nonce = nonces.issue(1);
        sessions.onApiVersions(connection(nonce, true));

        assertThat(sessions.confirm(1, nonce).error()).isEqualTo(ControlError.NOT_BOUND);
        assertThat(counters.get(PluginMeter.SESSIONS_OPEN)).isZero();
    }

    @Test
    void shouldEndASessionWithItsAuthentication() {
        String nonce = nonces.issue(1);
        AtomicBoolean over = new AtomicBoolean();
        sessions.onReceived(new ObservedChannel("c", new ScriptedLifetime(over)));
        sessions.onApiVersions(connection(nonce, true));
        BoundSession session = sessions.confirm(1, nonce).session();

        assertThat(session.isEnded()).isFalse();
        over.set(true);
        assertThat(session.isEnded()).isTrue();
    }
}
