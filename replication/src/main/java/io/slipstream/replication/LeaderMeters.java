// SPDX-License-Identifier: Apache-2.0
package io.slipstream.replication;

import io.slipstream.broker.metrics.PluginMeter;
import io.slipstream.metrics.Label;
import io.slipstream.metrics.MeterRegistry;
import io.slipstream.replication.ReplicationMeters.Fallback;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToLongFunction;

/**
 * The meters of one leader's fetchers, from the first fetcher to the end of the last one. {@link ReplicationMeters}
 * makes and closes it. Fetcher threads count; any thread reads.
 */
final class LeaderMeters {
    private static final List<PluginMeter> ALL = List.of(
            PluginMeter.FOLLOWER_FETCHES,
            PluginMeter.FOLLOWER_FALLBACKS,
            PluginMeter.FOLLOWER_SESSIONS,
            PluginMeter.FOLLOWER_PARTITIONS,
            PluginMeter.FOLLOWER_LAG_RECORDS,
            PluginMeter.FOLLOWER_FETCH_AGE_MS);

    private final ReplicationMeters totals;
    private final MeterRegistry registry;
    private final String leader;
    private final LongAdder byRdma;
    private final LongAdder byTcp;
    private final LongAdder[] fallbacks = new LongAdder[Fallback.values().length];
    final List<Fetcher> fetchers = new CopyOnWriteArrayList<>();

    /** @param leader value of the label */
    LeaderMeters(ReplicationMeters totals, String leader) {
        this.totals = totals;
        this.registry = totals.registry;
        this.leader = leader;
        byRdma = registry.count(PluginMeter.FOLLOWER_FETCHES, leader, "rdma");
        byTcp = registry.count(PluginMeter.FOLLOWER_FETCHES, leader, "tcp");
        for (Fallback reason : Fallback.values()) {
            fallbacks[reason.ordinal()] = registry.count(PluginMeter.FOLLOWER_FALLBACKS, leader, Label.valueOf(reason));
        }
        registry.supply(() -> sum(each -> each.isBound() ? 1 : 0), PluginMeter.FOLLOWER_SESSIONS, leader);
        registry.supply(
                () -> max(each -> TimeUnit.NANOSECONDS.toMillis(each.ageNs())),
                PluginMeter.FOLLOWER_FETCH_AGE_MS,
                leader);
        supply("rdma", true);
        supply("tcp", false);
    }

    private void supply(String path, boolean isRdma) {
        registry.supply(
                () -> sum(each -> each.usesRdma() == isRdma ? each.partitions() : 0),
                PluginMeter.FOLLOWER_PARTITIONS,
                leader,
                path);
        registry.supply(
                () -> max(each -> each.usesRdma() == isRdma ? each.lagRecords() : 0),
                PluginMeter.FOLLOWER_LAG_RECORDS,
                leader,
                path);
    }

    private long sum(ToLongFunction<Fetcher> value) {
        return fetchers.stream().mapToLong(value).sum();
    }

    private long max(ToLongFunction<Fetcher> value) {
        return fetchers.stream().mapToLong(value).max().orElse(0);
    }

    void fetched(boolean isRdma) {
        (isRdma ? totals.byRdma : totals.byTcp).increment();
        (isRdma ? byRdma : byTcp).increment();
    }

    void received(long bytes) {
        totals.bytes.add(bytes);
    }

    void fellBack(Fallback reason) {
        totals.fellBack(reason);
        fallbacks[reason.ordinal()].increment();
    }

    /** Ends all series of the leader. The totals stay. */
    void close() {
        for (PluginMeter meter : ALL) {
            for (List<String> labels : registry.seriesOf(meter)) {
                if (labels.get(0).equals(leader)) {
                    registry.remove(meter, labels.toArray(String[]::new));
                }
            }
        }
    }
}
