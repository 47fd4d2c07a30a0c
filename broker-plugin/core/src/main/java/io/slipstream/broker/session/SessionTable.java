// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.session;

import io.slipstream.broker.config.Exclusions;
import io.slipstream.broker.config.PluginKeys;
import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.broker.metrics.PluginMeters;
import io.slipstream.protocol.control.ControlError;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The client connections of the broker that are bound to links. The broker's threads report connections; the control
 * thread binds and ends sessions. A session ends with its connection, with CloseSession or with its link, whichever
 * comes first.
 */
public final class SessionTable {
    private static final String NOT_SEEN = "the broker has not seen this nonce on an open connection";

    /**
     * A session, or the reason why the connection could not be bound.
     *
     * @param principal null if the broker has not seen the nonce
     */
    public record Outcome(BoundSession session, ControlError error, String principal, String reason) {
        static Outcome refused(ControlError error, String principal, String reason) {
            return new Outcome(null, error, principal, reason);
        }
    }

    private final NonceTable nonces;
    private final PluginMeters counters;
    private final int maxSessions;
    private final int maxPerPrincipal;
    private final Exclusions exclusions;
    private final SessionLifetimes lifetimes = new SessionLifetimes();
    /** Sessions by connection id. Several links may bind one connection, although proxies have no reason to do so. */
    private final ConcurrentHashMap<String, Set<BoundSession>> byConnection = new ConcurrentHashMap<>();

    private volatile BiConsumer<Integer, Integer> onEnded = (linkId, sessionId) -> {};
    private volatile Consumer<ObservedConnection> onUnknownNonce = connection -> {};
    /** Control thread only. */
    private final Map<String, Integer> byPrincipal = new HashMap<>();

    private int sessions;
    private int nextSessionId = 1;

    /** @param maxPerPrincipal 0: no such bound */
    public SessionTable(
            NonceTable nonces, PluginMeters counters, int maxSessions, int maxPerPrincipal, Exclusions exclusions) {
        this.nonces = nonces;
        this.counters = counters;
        this.maxSessions = maxSessions;
        this.maxPerPrincipal = maxPerPrincipal;
        this.exclusions = exclusions;
    }

    /**
     * Sets the listener for sessions (link id, session id) that end because their connection closed. It runs on the
     * broker's thread.
     */
    public void onEnded(BiConsumer<Integer, Integer> listener) {
        onEnded = listener;
    }

    /**
     * Sets the listener for connections that show a nonce that is not outstanding: forged, shown before, or expired. It
     * runs on the broker's thread.
     */
    public void onUnknownNonce(Consumer<ObservedConnection> listener) {
        onUnknownNonce = listener;
    }

    /**
     * Any thread: returns whether nonces are outstanding, so that {@link #onReceived} must be called for connections on
     * which requests arrive.
     */
    public boolean awaitsConnections() {
        return !nonces.isEmpty();
    }

    /** Broker thread: a request arrived on the connection and is handled later. Never blocks. */
    public void onReceived(ObservedChannel channel) {
        lifetimes.observe(channel);
    }

    /** Control thread, periodically: drops the received connections once no nonce is outstanding. */
    public void forgetReceived() {
        if (nonces.isEmpty()) {
            lifetimes.clear();
        }
    }

    /** Broker thread: the broker handles an ApiVersions request. Never blocks. */
    public void onApiVersions(ObservedConnection connection) {
        if (connection.nonce() != null) {
            SessionLifetime lifetime =
                    connection.mayExpire() ? lifetimes.of(connection.connectionId()) : SessionLifetime.UNLIMITED;
            if (!nonces.observe(connection, lifetime)) {
                counters.increment(PluginMeter.NONCES_UNKNOWN);
                onUnknownNonce.accept(connection);
            }
            return;
        }
        Set<BoundSession> bound = byConnection.get(connection.connectionId());
        if (bound != null) {
            bound.forEach(session -> session.requestContext = connection.requestContext());
        }
    }

    /** Broker thread: a connection closed. */
    public void onDisconnect(String connectionId) {
        if (!nonces.isEmpty()) {
            nonces.forget(connectionId);
        }
        Set<BoundSession> bound = byConnection.remove(connectionId);
        if (bound != null) {
            bound.forEach(session -> {
                session.end();
                onEnded.accept(session.linkId, session.sessionId);
            });
        }
    }

    /** Control thread: binds the connection that showed the nonce, if the settings and limits allow it. */
    public Outcome confirm(int linkId, String nonce) {
        NonceTable.Observed observed = nonces.observed(linkId, nonce);
        if (observed == null) {
            return Outcome.refused(ControlError.NOT_BOUND, null, NOT_SEEN);
        }
        ObservedConnection connection = observed.connection();
        String principal = connection.principal();
        String excluded = exclusions.reason(connection.listenerName(), principal);
        if (excluded != null) {
            return Outcome.refused(ControlError.RDMA_OFF, principal, excluded);
        } else if (observed.lifetime() == null) {
            return Outcome.refused(
                    ControlError.NOT_BOUND, principal, "the expiry of the client's authentication is unknown");
        } else if (sessions >= maxSessions) {
            return Outcome.refused(ControlError.LIMIT, principal, "see " + PluginKeys.MAX_SESSIONS);
        } else if (maxPerPrincipal > 0 && byPrincipal.getOrDefault(principal, 0) >= maxPerPrincipal) {
            return Outcome.refused(ControlError.LIMIT, principal, "see " + PluginKeys.MAX_SESSIONS_PER_PRINCIPAL);
        }
        BoundSession session = new BoundSession(linkId, nextSessionId++, connection, observed.lifetime());
        byConnection.compute(connection.connectionId(), (id, set) -> {
            Set<BoundSession> sessionsOfConnection = set == null ? ConcurrentHashMap.newKeySet(1) : set;
            sessionsOfConnection.add(session);
            return sessionsOfConnection;
        });
        sessions++;
        byPrincipal.merge(principal, 1, Integer::sum);
        counters.increment(PluginMeter.SESSIONS_BOUND);
        // Use the nonce last: if the connection closed meanwhile, either the nonce is gone or the close finds the
        // session.
        if (!nonces.use(nonce)) {
            remove(session);
            return Outcome.refused(ControlError.NOT_BOUND, principal, NOT_SEEN);
        }
        return new Outcome(session, ControlError.NONE, principal, null);
    }

    /** Control thread: removes a session that ended for any reason. Called once for each session. */
    public void remove(BoundSession session) {
        session.end();
        sessions--;
        byPrincipal.computeIfPresent(session.connection.principal(), (same, count) -> count == 1 ? null : count - 1);
        counters.increment(PluginMeter.SESSIONS_ENDED);
        byConnection.computeIfPresent(session.connection.connectionId(), (id, set) -> {
            set.remove(session);
            return set.isEmpty() ? null : set;
        });
    }
}
