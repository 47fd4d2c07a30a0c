// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.metrics.Label;
import io.slipstream.metrics.MeterRegistry;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** The meters of replication, among those of the plugin: totals, and those by leader. Any thread. */
public final class ReplicationMeters {
    /** Why a fetch left RDMA for TCP; the lower-case name is the label of the meter. */
    enum Fallback {
        /** The leader's plugin ended the session, or its settings exclude it. */
        REFUSED,
        /** There was no credit or no room. */
        RING_FULL,
        LINK_LOST,
        /** No answer came in time. */
        TIMED_OUT,
        /** The answer could not be parsed. */
        UNREADABLE
    }

    /** Leaders with series of their own; all others share those of {@value #OTHER}. */
    private static final int MOST_LEADERS = MeterRegistry.MAX_SERIES / Fallback.values().length - 1;

    private static final String OTHER = "other";

    final LongAdder byRdma;
    final LongAdder byTcp;
    final LongAdder bytes;
    final MeterRegistry registry;
    /** By label, each until its last fetcher leaves. Guarded by this. */
    private final Map<String, LeaderMeters> leaders = new HashMap<>();

    private final LongAdder[] fallbacks = new LongAdder[Fallback.values().length];

    public ReplicationMeters(MeterRegistry registry) {
        this.registry = registry;
        byRdma = registry.count(PluginMeter.REPLICATION_FETCHES, "rdma");
        byTcp = registry.count(PluginMeter.REPLICATION_FETCHES, "tcp");
        bytes = registry.count(PluginMeter.REPLICATION_BYTES);
        for (Fallback reason : Fallback.values()) {
            fallbacks[reason.ordinal()] = registry.count(PluginMeter.REPLICATION_FALLBACKS, Label.valueOf(reason));
        }
    }

    /** Counts the fetcher among those of its leader until {@link #leave}. Not for the path of a fetch. */
    synchronized LeaderMeters join(Fetcher fetcher, int leader) {
        String own = Integer.toString(leader);
        String label = leaders.containsKey(own) || leaders.size() < MOST_LEADERS ? own : OTHER;
        LeaderMeters joined = leaders.computeIfAbsent(label, one -> new LeaderMeters(this, one));
        joined.fetchers.add(fetcher);
        return joined;
    }

    /** Idempotent. */
    synchronized void leave(Fetcher fetcher, LeaderMeters left) {
        if (left.fetchers.remove(fetcher) && left.fetchers.isEmpty()) {
            leaders.values().remove(left);
            left.close();
        }
    }

    void fellBack(Fallback reason) {
        fallbacks[reason.ordinal()].increment();
    }
}
