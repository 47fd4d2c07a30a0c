// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import io.slipstream.metrics.Count;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The fetch sessions of one event loop, a bounded number. If there is no space, a session that was unused for two
 * minutes is evicted, as at a broker. Without such a session, the client continues with full fetches. Confined to the
 * event loop.
 */
public final class FetchSessions {
    static final long STALE_NS = TimeUnit.MINUTES.toNanos(2);

    private final int limit;
    private final Count open;
    private final LongSupplier clock;
    /** Least recently used first; each session is its own value. */
    private final Map<IncrementalSession, IncrementalSession> uses = new LinkedHashMap<>(16, 0.75f, true);

    /** @param open counts the sessions of all event loops */
    public FetchSessions(int limit, Count open) {
        this(limit, open, System::nanoTime);
    }

    FetchSessions(int limit, Count open, LongSupplier clock) {
        this.limit = limit;
        this.open = open;
        this.clock = clock;
    }

    /** A new session; null if there is no space. {@link #end} releases it. */
    IncrementalSession open(boolean byTopicId, int mostPartitions) {
        long nowNs = clock.getAsLong();
        if (uses.size() >= limit && !evict(nowNs)) {
            return null;
        }
        int id = ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE);
        IncrementalSession session = new IncrementalSession(id, byTopicId, mostPartitions);
        session.usedAtNs = nowNs;
        uses.put(session, session);
        open.increment();
        return session;
    }

    private boolean evict(long nowNs) {
        if (uses.isEmpty()) {
            return false;
        }
        IncrementalSession eldest = uses.keySet().iterator().next();
        if (nowNs - eldest.usedAtNs <= STALE_NS) {
            return false;
        }
        end(eldest);
        return true;
    }

    /** Marks the session as used; false if it is null or was evicted. */
    boolean use(IncrementalSession session) {
        if (uses.get(session) == null) {
            return false;
        }
        session.usedAtNs = clock.getAsLong();
        return true;
    }

    /** Idempotent; ignores null. */
    void end(IncrementalSession session) {
        if (uses.remove(session) != null) {
            open.decrement();
        }
    }
}
