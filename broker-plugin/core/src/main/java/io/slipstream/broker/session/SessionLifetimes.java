// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.session;

import java.util.concurrent.ConcurrentHashMap;

/**
 * The lifetimes of connections on which requests came lately, while nonces are waited for: a request is first received,
 * which shows the connection, and handled a moment later, which shows the nonce. Bounded: two generations, of which the
 * older is dropped when the younger is full. A request is handled before that, since fewer wait for it at a time
 * ({@code queued.max.requests}, 500 by default); should it not be, its connection is not bound.
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

    /** Null if it is not known. */
    SessionLifetime of(String connectionId) {
        SessionLifetime lifetime = younger.get(connectionId);
        return lifetime == null ? older.get(connectionId) : lifetime;
    }

    /** Connections' ids are not used again, but what they hold should not stay. */
    synchronized void clear() {
        if (!younger.isEmpty() || !older.isEmpty()) {
            younger = new ConcurrentHashMap<>();
            older = new ConcurrentHashMap<>();
        }
    }
}
