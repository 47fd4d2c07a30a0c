// SPDX-License-Identifier: Apache-2.0
package io.slipstream.top;

import io.slipstream.process.MetricSamples;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The difference between two pages of each of some brokers, per second. Shares are parts of fetches from 0 to 1, or -1
 * without fetches. Immutable.
 */
public record ReplicationView(
        double seconds, List<BrokerRow> brokers, List<LeaderRow> leaders, List<FallbackRow> fallbacks)
        implements ViewSource.View {
    static final String METER = "slipstream_plugin_";

    /**
     * A broker as a follower of others.
     *
     * @param state {@code serving}, {@code inert} or {@code no answer}; the numbers are 0 in the last case
     */
    public record BrokerRow(
            String broker,
            String state,
            long linksToLeaders,
            long partitionsByRdma,
            long partitionsByTcp,
            double fetchesPerSecond,
            double rdmaShare,
            double rdmaBytesPerSecond) {}

    /** What one broker fetches from one leader. */
    public record LeaderRow(
            String broker,
            String leader,
            long sessions,
            long partitionsByRdma,
            long partitionsByTcp,
            long lagRecords,
            long fetchAgeMs,
            double fetchesPerSecond,
            double rdmaShare) {}

    public record FallbackRow(String broker, String leader, String reason, double perSecond, long total) {}

    /** Two pages of one broker; {@code before} is null if there is none to compare with. */
    private record Pages(String broker, MetricSamples before, MetricSamples after, double seconds) {
        long now(String meter, String... labels) {
            return after.count(METER + meter, labels);
        }

        /** A counter that fell has begun again from 0. */
        double perSecond(String meter, String... labels) {
            double now = after.sum(METER + meter, labels);
            double was = before == null ? now : before.sum(METER + meter, labels);
            return (now < was ? now : now - was) / seconds;
        }

        /** All values of the label {@code leader}, sorted. */
        List<String> leaders() {
            TreeSet<String> leaders =
                    new TreeSet<>(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()));
            for (MetricSamples.Sample sample : after.all()) {
                if (sample.name().equals(METER + "follower_sessions")) {
                    leaders.add(sample.labels().get("leader"));
                }
            }
            return List.copyOf(leaders);
        }
    }

    /** @param before pages by broker; a broker that did not answer has null; {@code after} is alike */
    static ReplicationView between(
            Map<String, MetricSamples> before, Map<String, MetricSamples> after, double seconds) {
        List<BrokerRow> brokers = new ArrayList<>();
        List<LeaderRow> leaders = new ArrayList<>();
        List<FallbackRow> fallbacks = new ArrayList<>();
        after.forEach((broker, now) -> {
            if (now == null) {
                brokers.add(new BrokerRow(broker, "no answer", 0, 0, 0, 0, -1, 0));
                return;
            }
            Pages pages = new Pages(broker, before.get(broker), now, seconds);
            brokers.add(broker(pages));
            for (String leader : pages.leaders()) {
                leaders.add(leader(pages, leader));
                addFallbacks(fallbacks, pages, leader);
            }
        });
        fallbacks.sort(Comparator.comparingDouble(FallbackRow::perSecond)
                .thenComparing(FallbackRow::total)
                .reversed());
        return new ReplicationView(seconds, List.copyOf(brokers), List.copyOf(leaders), List.copyOf(fallbacks));
    }

    private static BrokerRow broker(Pages pages) {
        double byRdma = pages.perSecond("replication_fetches_total", "path", "rdma");
        double byTcp = pages.perSecond("replication_fetches_total", "path", "tcp");
        return new BrokerRow(
                pages.broker,
                pages.now("serving") > 0 ? "serving" : "inert",
                pages.now("replication_links"),
                pages.now("follower_partitions", "path", "rdma"),
                pages.now("follower_partitions", "path", "tcp"),
                byRdma + byTcp,
                part(byRdma, byTcp),
                pages.perSecond("replication_bytes_total"));
    }

    private static LeaderRow leader(Pages pages, String leader) {
        String[] rdma = {"leader", leader, "path", "rdma"};
        String[] tcp = {"leader", leader, "path", "tcp"};
        double byRdma = pages.perSecond("follower_fetches_total", rdma);
        double byTcp = pages.perSecond("follower_fetches_total", tcp);
        return new LeaderRow(
                pages.broker,
                leader,
                pages.now("follower_sessions", "leader", leader),
                pages.now("follower_partitions", rdma),
                pages.now("follower_partitions", tcp),
                Math.max(pages.now("follower_lag_records", rdma), pages.now("follower_lag_records", tcp)),
                pages.now("follower_fetch_age_ms", "leader", leader),
                byRdma + byTcp,
                part(byRdma, byTcp));
    }

    private static void addFallbacks(List<FallbackRow> rows, Pages pages, String leader) {
        String meter = "follower_fallbacks_total";
        for (MetricSamples.Sample sample : pages.after.all()) {
            if (sample.name().equals(METER + meter)
                    && leader.equals(sample.labels().get("leader"))
                    && sample.value() > 0) {
                String reason = sample.labels().get("reason");
                double perSecond = pages.perSecond(meter, "leader", leader, "reason", reason);
                rows.add(new FallbackRow(pages.broker, leader, reason, perSecond, Math.round(sample.value())));
            }
        }
    }

    private static double part(double some, double others) {
        return some + others > 0 ? some / (some + others) : -1;
    }

    @Override
    public List<StyledLine> lines(TopScreen layout) {
        return ReplicationScreen.lines(this, layout);
    }
}
