package io.slipstream.broker.session;

import io.slipstream.broker.metrics.PluginCounters;
import io.slipstream.broker.metrics.PluginCounters.Counter;
import io.slipstream.broker.ring.RingSession;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/**
 * Which client connections of the broker are bound, and to which link. The broker's threads tell of connections, the control thread
 * binds and ends. A session ends with its connection, with CloseSession, or with its link, whichever comes first.
 */
public final class SessionTable {
    /** Why a connection could not be bound. */
    public enum Refusal {
        NOT_BOUND,
        LISTENER_NOT_SUPPORTED,
        LIMIT
    }

    /** Either a session or a refusal. */
    public record Outcome(RingSession session, Refusal refusal) {}

    private final NonceTable nonces;
    private final PluginCounters counters;
    private final int maxSessions;
    /** A connection may be bound to several links, though proxies have no reason to. */
    private final ConcurrentHashMap<String, Set<RingSession>> byConnection = new ConcurrentHashMap<>();

    private volatile BiConsumer<Integer, Integer> onEnded = (linkId, sessionId) -> {};
    private int sessions;
    private int nextSessionId = 1;

    public SessionTable(NonceTable nonces, PluginCounters counters, int maxSessions) {
        this.nonces = nonces;
        this.counters = counters;
        this.maxSessions = maxSessions;
    }

    /** Told, on the broker's thread, of each session (link id, session id) that ended because its connection closed. */
    public void onEnded(BiConsumer<Integer, Integer> listener) {
        onEnded = listener;
    }

    /** Broker thread: an ApiVersions request was handled. Never blocks. */
    public void onApiVersions(ObservedConnection connection) {
        if (NonceTable.isNonce(connection.softwareName())) {
            nonces.observe(connection);
            return;
        }
        Set<RingSession> bound = byConnection.get(connection.connectionId());
        if (bound != null) {
            bound.forEach(session -> session.updateRequestContext(connection.requestContext()));
        }
    }

    /** Broker thread: a connection closed. */
    public void onDisconnect(String connectionId) {
        if (!nonces.isEmpty()) {
            nonces.forget(connectionId);
        }
        Set<RingSession> bound = byConnection.remove(connectionId);
        if (bound != null) {
            bound.forEach(session -> {
                session.end();
                onEnded.accept(session.bound().linkId(), session.sessionId());
            });
        }
    }

    /** Control thread. */
    public Outcome confirm(int linkId, String nonce) {
        ObservedConnection observed = nonces.observed(linkId, nonce);
        if (observed == null) {
            return new Outcome(null, Refusal.NOT_BOUND);
        } else if (!observed.listenerSupported()) {
            return new Outcome(null, Refusal.LISTENER_NOT_SUPPORTED);
        } else if (sessions >= maxSessions) {
            return new Outcome(null, Refusal.LIMIT);
        }
        RingSession session = new RingSession(new BoundSession(
                linkId, nextSessionId++, observed.connectionId(), observed.listenerName(), observed.requestContext()));
        byConnection.compute(observed.connectionId(), (id, set) -> {
            Set<RingSession> sessionsOfConnection = set == null ? ConcurrentHashMap.newKeySet(1) : set;
            sessionsOfConnection.add(session);
            return sessionsOfConnection;
        });
        sessions++;
        counters.increment(Counter.SESSIONS_BOUND);
        // Only now: if the connection closed meanwhile, either the nonce is gone or its closing still finds the
        // session.
        if (!nonces.use(nonce)) {
            remove(session);
            return new Outcome(null, Refusal.NOT_BOUND);
        }
        return new Outcome(session, null);
    }

    /** Control thread: the session is over, whatever the reason; called once for each. */
    public void remove(RingSession session) {
        session.end();
        sessions--;
        counters.increment(Counter.SESSIONS_ENDED);
        byConnection.computeIfPresent(session.bound().connectionId(), (id, set) -> {
            set.remove(session);
            return set.isEmpty() ? null : set;
        });
    }

    /** Control thread. */
    public int size() {
        return sessions;
    }
}
