// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.broker.config.Exclusions;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.protocol.control.ControlError;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Connections that a proxy binds, by the requests that the broker sees on them. */
class SessionTableTest {
    private final NonceTable nonces = new NonceTable(10, System::nanoTime);
    private final PluginMeters counters = new PluginMeters();
    private final SessionTable table = new SessionTable(nonces, counters, 10, 0, Exclusions.NONE);

    /** The request context names the software, as the broker's own does. */
    private void apiVersions(String connection, String softwareName) {
        apiVersions(connection, softwareName, null);
    }

    private void apiVersions(String connection, String softwareName, String nonce) {
        table.onApiVersions(new ObservedConnection(
                connection, nonce, "PLAINTEXT", "User:alice", false, connection + " with " + softwareName));
    }

    private BoundSession bind(int link, String connection) {
        String nonce = nonces.issue(link);
        apiVersions(connection, "librdkafka", nonce);
        BoundSession session = table.confirm(link, nonce).session();
        assertThat(session.requestContext()).isEqualTo(connection + " with librdkafka");
        return session;
    }

    @Test
    void shouldKnowTheClientByItsOwnNameOnceItIsToldIt() {
        BoundSession session = bind(1, "c");
        BoundSession ofOtherLink = bind(2, "c");
        BoundSession ofOtherConnection = bind(1, "d");
        Object before = ofOtherConnection.requestContext();

        apiVersions("c", "apache-kafka-java");

        assertThat(session.requestContext()).isEqualTo("c with apache-kafka-java");
        assertThat(ofOtherLink.requestContext()).isEqualTo("c with apache-kafka-java");
        assertThat(ofOtherConnection.requestContext()).isEqualTo(before);
    }

    @Test
    void shouldKeepTheClientsNameWhenTheConnectionIsBoundToAnotherLink() {
        BoundSession session = bind(1, "c");
        apiVersions("c", "apache-kafka-java");
        bind(2, "c");
        assertThat(session.requestContext()).isEqualTo("c with apache-kafka-java");
    }

    @Test
    void shouldBindAConnectionOnceForEachNonce() {
        String nonce = nonces.issue(1);
        apiVersions("c", "librdkafka", nonce);
        assertThat(table.confirm(2, nonce).error()).as("another link's").isEqualTo(ControlError.NOT_BOUND);
        assertThat(table.confirm(1, nonce).error()).isEqualTo(ControlError.NONE);
        assertThat(table.confirm(1, nonce).error()).as("used").isEqualTo(ControlError.NOT_BOUND);
        assertThat(counters.get(PluginMeter.SESSIONS_OPEN)).isEqualTo(1);
    }

    @Test
    void shouldEndTheSessionsOfAConnectionThatCloses() {
        List<Integer> ended = new ArrayList<>();
        table.onEnded((link, session) -> ended.add(session));
        BoundSession session = bind(1, "c");
        BoundSession other = bind(1, "d");
        String late = nonces.issue(1);
        apiVersions("c", "librdkafka", late);

        table.onDisconnect("c");

        assertThat(session.isEnded()).isTrue();
        assertThat(other.isEnded()).isFalse();
        assertThat(ended).containsExactly(session.sessionId);
        assertThat(table.confirm(1, late).error()).as("its connection is gone").isEqualTo(ControlError.NOT_BOUND);
        table.remove(session);
        assertThat(counters.get(PluginMeter.SESSIONS_OPEN)).isEqualTo(1);
    }
}
