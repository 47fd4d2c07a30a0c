// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.fetch;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * The fetch sessions of one event loop, in bounded memory. If there is no room, sessions that were unused for two
 * minutes are evicted, as at a broker. Without room, the client continues with full fetches. Confined to the event
 * loop.
 */
public final class FetchSessions {
    static final long STALE_NS = TimeUnit.MINUTES.toNanos(2);

    /** Estimates of the memory of a session and of each of its partitions. */
    static final int SESSION_BYTES = 1536;

    static final int PARTITION_BYTES = 512;

    private final long limitBytes;
    private final LongAdder open;
    private final LongSupplier clock;
    /** Least recently used first; each session is its own value. */
    private final Map<IncrementalSession, IncrementalSession> uses = new LinkedHashMap<>(16, 0.75f, true);

    private long bytes;

    /** @param open counts the sessions of all event loops */
    public FetchSessions(long limitBytes, LongAdder open) {
        this(limitBytes, open, System::nanoTime);
    }

    FetchSessions(long limitBytes, LongAdder open, LongSupplier clock) {
        this.limitBytes = limitBytes;
        this.open = open;
        this.clock = clock;
    }

    /** A new session without partitions; null if there is no room. {@link #end} releases it. */
    IncrementalSession open(boolean byTopicId, int mostPartitions) {
        long nowNs = clock.getAsLong();
        if (!makeRoom(SESSION_BYTES, nowNs)) {
            return null;
        }
        int id = ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE);
        IncrementalSession session = new IncrementalSession(id, byTopicId, mostPartitions);
        session.usedAtNs = nowNs;
        session.chargedBytes = SESSION_BYTES;
        bytes += SESSION_BYTES;
        uses.put(session, session);
        open.increment();
        return session;
    }

    /** Charges the partitions that the session has now; false if there is no room for them, and it must end. */
    boolean charge(IncrementalSession session) {
        long moreBytes = SESSION_BYTES + (long) session.partitions.count * PARTITION_BYTES - session.chargedBytes;
        bytes += moreBytes;
        session.chargedBytes += moreBytes;
        return makeRoom(0, clock.getAsLong());
    }

    private boolean makeRoom(int neededBytes, long nowNs) {
        while (bytes + neededBytes > limitBytes) {
            IncrementalSession eldest =
                    uses.isEmpty() ? null : uses.keySet().iterator().next();
            if (eldest == null || nowNs - eldest.usedAtNs <= STALE_NS) {
                return false;
            }
            end(eldest);
        }
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
            bytes -= session.chargedBytes;
            open.decrement();
        }
    }
}
