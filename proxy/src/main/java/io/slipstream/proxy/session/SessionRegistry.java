package io.slipstream.proxy.session;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The client sessions that are open; for draining and for brokers that vanish. Thread-safe. */
public final class SessionRegistry {
    private final Set<ClientSession> open = ConcurrentHashMap.newKeySet();

    void add(ClientSession session) {
        open.add(session);
    }

    void remove(ClientSession session) {
        open.remove(session);
    }

    public int size() {
        return open.size();
    }

    /** Lets each session finish what it has read, then close. */
    public void drainAll() {
        open.forEach(session -> session.eventLoop().execute(session::drain));
    }

    public void closeAll() {
        open.forEach(session ->
                session.eventLoop().execute(() -> session.close(DisconnectCause.DRAIN_DEADLINE, "the proxy stops")));
    }

    /** Closes the clients of a broker that left the cluster, so that they look for the new one. */
    public void closeClientsOf(int nodeId) {
        for (ClientSession session : open) {
            session.eventLoop().execute(() -> {
                if (session.nodeId() == nodeId) {
                    session.close(DisconnectCause.BROKER_GONE, "broker " + nodeId + " is no longer in the cluster");
                }
            });
        }
    }
}
