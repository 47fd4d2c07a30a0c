// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.broker;

import io.slipstream.simulation.World;
import java.util.HashMap;
import java.util.Map;

/** The principals of client connections, and which of them may read. */
public final class Rights {
    private final World world;
    private final Map<Integer, String> principals = new HashMap<>();
    /** Denials in force by principal, and since when. */
    private final Map<String, Integer> denials = new HashMap<>();

    private final Map<String, Long> deniedSinceNs = new HashMap<>();

    public Rights(World world) {
        this.world = world;
    }

    /** A client authenticated on this connection. */
    public void authenticated(int connection, String principal) {
        principals.put(connection, principal);
    }

    String principalOf(int connection) {
        return principals.get(connection);
    }

    boolean mayRead(int connection) {
        return mayRead(principalOf(connection));
    }

    public boolean mayRead(String principal) {
        return !deniedSinceNs.containsKey(principal);
    }

    /** Takes READ from the principal; each call is undone by one call of {@link #allow}. */
    public void deny(String principal) {
        denials.merge(principal, 1, Integer::sum);
        deniedSinceNs.putIfAbsent(principal, world.nowNs());
    }

    public void allow(String principal) {
        if (denials.merge(principal, -1, Integer::sum) == 0) {
            deniedSinceNs.remove(principal);
        }
    }

    /** Returns how long the principal has had no right to read; 0 if it has. */
    public long deniedForNs(String principal) {
        Long sinceNs = deniedSinceNs.get(principal);
        return sinceNs == null ? 0 : world.nowNs() - sinceNs;
    }
}
