// SPDX-License-Identifier: Apache-2.0
package io.slipstream.top;

import io.slipstream.top.ReplicationView.BrokerRow;
import io.slipstream.top.ReplicationView.FallbackRow;
import io.slipstream.top.ReplicationView.LeaderRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Lays out the replication of brokers in lines. Pure. */
final class ReplicationScreen {
    private static final int MOST_REASONS = 5;
    private static final int LEAST_ROWS = 2;
    /** Far more than the wait of a fetch. */
    private static final long LONG_MS = 10_000;

    private ReplicationScreen() {}

    static List<StyledLine> lines(ReplicationView view, TopScreen screen) {
        List<StyledLine> lines = new ArrayList<>();
        lines.add(new StyledLine()
                .add("Replication", Style.BOLD)
                .add(String.format(
                        Locale.ROOT,
                        "  brokers %d  in the last %.1f s",
                        view.brokers().size(),
                        view.seconds())));
        lines.add(new StyledLine());
        lines.addAll(brokers(view.brokers(), screen.width()));
        List<StyledLine> end = new ArrayList<>();
        if (!view.fallbacks().isEmpty()) {
            end.add(new StyledLine());
            end.addAll(fallbacks(view.fallbacks(), screen.width()));
        }
        lines.add(new StyledLine());
        // The table has a title, and perhaps a line with the number of omitted rows.
        int room = Math.max(LEAST_ROWS, screen.height() - lines.size() - end.size() - 2);
        lines.addAll(leaders(view.leaders(), Math.min(screen.mostRows(), room), screen));
        lines.addAll(end);
        return lines;
    }

    private static List<StyledLine> brokers(List<BrokerRow> rows, int width) {
        TextTable table =
                new TextTable(2, "BROKER", "STATE", "LINKS", "PARTITIONS RDMA", "TCP", "FETCH/S", "RDMA", "RDMA BYTES");
        for (BrokerRow row : rows) {
            table.row(
                            row.broker(),
                            row.state(),
                            Long.toString(row.linksToLeaders()),
                            Long.toString(row.partitionsByRdma()),
                            Long.toString(row.partitionsByTcp()),
                            Figures.rate(row.fetchesPerSecond()),
                            Figures.share(row.rdmaShare()),
                            Figures.bytes(row.rdmaBytesPerSecond()))
                    .style(1, row.state().equals("serving") ? Style.GOOD : Style.BAD)
                    .style(6, Style.ofShare(row.rdmaShare()));
        }
        return table.lines(width);
    }

    private static List<StyledLine> leaders(List<LeaderRow> rows, int most, TopScreen screen) {
        TextTable table = new TextTable(
                2, "FOLLOWER", "LEADER", "SESSIONS", "PARTITIONS RDMA", "TCP", "LAG", "LAST FETCH", "FETCH/S", "RDMA");
        int shown = Math.min(most, rows.size());
        for (LeaderRow row : rows.subList(0, shown)) {
            table.row(
                            row.broker(),
                            row.leader(),
                            Long.toString(row.sessions()),
                            Long.toString(row.partitionsByRdma()),
                            Long.toString(row.partitionsByTcp()),
                            String.format(Locale.ROOT, "%,d", row.lagRecords()),
                            Figures.latency(row.fetchAgeMs() * 1000.0),
                            Figures.rate(row.fetchesPerSecond()),
                            Figures.share(row.rdmaShare()))
                    .style(6, row.fetchAgeMs() < LONG_MS ? Style.PLAIN : Style.BAD)
                    .style(8, Style.ofShare(row.rdmaShare()));
        }
        return screen.withRest(table, rows.size() - shown, "leaders");
    }

    private static List<StyledLine> fallbacks(List<FallbackRow> rows, int width) {
        TextTable table = new TextTable(3, "FALLBACKS TO TCP", "LEADER", "REASON", "FETCH/S", "SINCE THE START");
        for (FallbackRow row : rows.subList(0, Math.min(MOST_REASONS, rows.size()))) {
            table.row(
                            row.broker(),
                            row.leader(),
                            row.reason(),
                            Figures.rate(row.perSecond()),
                            String.format(Locale.ROOT, "%,d", row.total()))
                    .style(3, row.perSecond() > 0 ? Style.MIXED : Style.PLAIN);
        }
        return table.lines(width);
    }
}
