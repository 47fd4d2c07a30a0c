// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.session;

import java.util.concurrent.ConcurrentHashMap;

/**
 * The lifetimes of connections on which requests arrived while nonces are outstanding. The broker first receives a
 * request, which shows the connection, and then handles it, which shows the nonce. The table is bounded to two
 * generations: when the younger is full, the older is dropped. A request is normally handled before that, because fewer
 * requests wait ({@code queued.max.requests}, 500 by default). Otherwise its connection is not bound.
 *
 * <p>Any thread.
 */
final class SessionLifetimes {
    static final int GENERATION_SIZE = 2048;

    private volatile ConcurrentHashMap<String, SessionLifetime> younger = new ConcurrentHashMap<>();
    private volatile ConcurrentHashMap<String, SessionLifetime> older = new ConcurrentHashMap<>();

    void observe(ObservedChannel channel) {
        ConcurrentHashMap<String, SessionLifetime> generation = younger;
        generation.put(channel.connectionId(), channel.lifetime());
        if (generation.size() >= GENERATION_SIZE) {
            turn(generation);
        }
    }

    private synchronized void turn(ConcurrentHashMap<String, SessionLifetime> full) {
        if (younger == full) {
            older = full;
            younger = new ConcurrentHashMap<>();
        }
    }

    /** Returns null if the lifetime is unknown. */
    SessionLifetime of(String connectionId) {
        SessionLifetime lifetime = younger.get(connectionId);
        return lifetime == null ? older.get(connectionId) : lifetime;
    }

    /** Releases all entries. Connection ids are not reused, but the entries would hold memory. */
    synchronized void clear() {
        if (!younger.isEmpty() || !older.isEmpty()) {
            younger = new ConcurrentHashMap<>();
            older = new ConcurrentHashMap<>();
        }
    }
}
