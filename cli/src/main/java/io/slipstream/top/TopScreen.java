// SPDX-License-Identifier: Apache-2.0
package io.slipstream.top;

import io.slipstream.top.TopView.ApiRow;
import io.slipstream.top.TopView.ClientRow;
import io.slipstream.top.TopView.PartitionRow;
import io.slipstream.top.TopView.ReasonRow;
import io.slipstream.top.TopView.Share;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Lays out a view in lines. Pure.
 *
 * @param width characters in a line
 * @param height available lines
 * @param mostRows most rows of clients and of partitions, if there is room
 */
record TopScreen(int width, int height, int mostRows, Order order, boolean reversed) {
    private static final int MOST_APIS = 8;
    private static final int MOST_REASONS = 5;
    private static final int LEAST_ROWS = 2;

    List<StyledLine> lines(TopView view) {
        List<StyledLine> lines = new ArrayList<>(header(view));
        List<StyledLine> end = new ArrayList<>();
        end.add(new StyledLine());
        end.addAll(latencies(view.apis()));
        if (!view.fallbacks().isEmpty()) {
            end.add(new StyledLine());
            end.addAll(fallbacks(view.fallbacks()));
        }
        // Two tables, each with a blank line, a title line and perhaps a line with the number of omitted rows.
        int room = height - lines.size() - end.size() - 6;
        int clients = Math.min(mostRows, view.clients().size());
        int partitions = Math.min(mostRows, view.partitions().size());
        int half = Math.max(LEAST_ROWS, room / 2);
        int clientRows = Math.min(clients, Math.max(half, room - partitions));
        int partitionRows = Math.min(partitions, Math.max(half, room - clientRows));
        lines.add(new StyledLine());
        lines.addAll(clients(sorted(view.clients(), order.clients), clientRows, view.clientsOpen()));
        lines.add(new StyledLine());
        lines.addAll(partitions(sorted(view.partitions(), order.partitions), partitionRows));
        lines.addAll(end);
        return lines;
    }

    private <T> List<T> sorted(List<T> rows, Comparator<T> by) {
        List<T> sorted = new ArrayList<>(rows);
        sorted.sort(reversed ? Collections.reverseOrder(by) : by);
        return sorted;
    }

    private static List<StyledLine> header(TopView view) {
        StyledLine first = new StyledLine()
                .add("Slipstream " + view.version(), Style.BOLD)
                .add("  " + view.bootstrap() + "  up " + Figures.uptime(view.uptimeMs()) + "  brokers " + view.brokers()
                        + "  links " + view.linksUp() + "  RDMA ")
                .add(view.rdmaEnabled() ? "on" : "off", view.rdmaEnabled() ? Style.GOOD : Style.BAD)
                .add("  " + view.rdma());
        StyledLine second = new StyledLine()
                .add("clients " + view.clientsOpen() + "  in " + Figures.bytes(view.bytesInPerSecond()) + "  out "
                        + Figures.bytes(view.bytesOutPerSecond())
                        + String.format(Locale.ROOT, "  in the last %.1f s", view.seconds()));
        return List.of(first, second, share("produce", view.produced()), share("fetch  ", view.fetched()));
    }

    private static StyledLine share(String api, Share share) {
        return new StyledLine()
                .add(api + " " + Figures.rate(share.recordsPerSecond()) + " records/s  by RDMA ")
                .add(share.now() < 0 ? "-" : Figures.share(share.now()), Style.ofShare(share.now()))
                .add("  since the start ")
                .add(share.total() < 0 ? "-" : Figures.share(share.total()), Style.ofShare(share.total()));
    }

    private List<StyledLine> clients(List<ClientRow> rows, int most, long open) {
        TextTable table = new TextTable(
                2,
                "CLIENT",
                "ADDRESS",
                "BROKER",
                "REQ/S",
                "PRODUCE/S",
                "FETCH/S",
                "BYTES",
                "RDMA",
                "IN FLIGHT",
                "P50",
                "P99");
        for (ClientRow row : rows.subList(0, most)) {
            table.row(
                            row.clientId().isEmpty() ? "-" : row.clientId() + of(row.principal()),
                            row.address(),
                            row.broker() < 0 ? "-" : Integer.toString(row.broker()),
                            Figures.rate(row.requestsPerSecond()),
                            Figures.rate(row.producesPerSecond()),
                            Figures.rate(row.fetchesPerSecond()),
                            Figures.bytes(row.bytesPerSecond()),
                            Figures.share(row.rdmaShare()),
                            Long.toString(row.inFlight()),
                            Figures.latency(row.p50Us()),
                            Figures.latency(row.p99Us()))
                    .style(7, Style.ofShare(row.rdmaShare()));
        }
        return withRest(table, open - most, "clients");
    }

    private static String of(String principal) {
        return principal.isEmpty() ? "" : " (" + principal + ")";
    }

    private List<StyledLine> partitions(List<PartitionRow> rows, int most) {
        TextTable table =
                new TextTable(1, "PARTITION", "PRODUCED/S", "BYTES", "RDMA", "FETCHED/S", "BYTES", "RDMA", "WHY TCP");
        for (PartitionRow row : rows.subList(0, most)) {
            table.row(
                            row.name(),
                            Figures.rate(row.producedRecordsPerSecond()),
                            Figures.bytes(row.producedBytesPerSecond()),
                            Figures.share(row.produceShare()),
                            Figures.rate(row.fetchedRecordsPerSecond()),
                            Figures.bytes(row.fetchedBytesPerSecond()),
                            Figures.share(row.fetchShare()),
                            row.whyTcp())
                    .style(3, Style.ofShare(row.produceShare()))
                    .style(6, Style.ofShare(row.fetchShare()));
        }
        return withRest(table, rows.size() - most, "partitions");
    }

    List<StyledLine> withRest(TextTable table, long rest, String what) {
        List<StyledLine> lines = new ArrayList<>(table.lines(width));
        if (rest > 0) {
            lines.add(new StyledLine().add("… and " + rest + " more " + what, Style.DIM));
        }
        return lines;
    }

    private List<StyledLine> latencies(List<ApiRow> rows) {
        TextTable table = new TextTable(2, "LATENCY", "BY", "REQ/S", "P50", "P99", "P99.9");
        for (ApiRow row : rows.subList(0, Math.min(MOST_APIS, rows.size()))) {
            table.row(
                            row.api(),
                            row.path(),
                            Figures.rate(row.requestsPerSecond()),
                            Figures.latency(row.p50Us()),
                            Figures.latency(row.p99Us()),
                            Figures.latency(row.p999Us()))
                    .style(1, row.path().equals("rdma") ? Style.GOOD : Style.PLAIN);
        }
        return table.lines(width);
    }

    private List<StyledLine> fallbacks(List<ReasonRow> rows) {
        TextTable table = new TextTable(1, "FALLBACKS TO TCP", "REQ/S", "SINCE THE START");
        for (ReasonRow row : rows.subList(0, Math.min(MOST_REASONS, rows.size()))) {
            table.row(row.reason(), Figures.rate(row.perSecond()), String.format(Locale.ROOT, "%,d", row.total()))
                    .style(1, row.perSecond() > 0 ? Style.MIXED : Style.PLAIN);
        }
        return table.lines(width);
    }
}
