package io.slipstream.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.slipstream.bench.IdleSummary.Spread;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** What waiting costs, as a table and as JSON. */
final class IdleReport {
    /** Of one processor, for all consumers together. */
    private static final double MOST_PROXY = 0.05;

    private final Map<String, String> machine;
    private final List<IdleSummary> summaries;
    private final int rounds;

    IdleReport(Map<String, String> machine, List<IdleSummary> summaries, int rounds) {
        this.machine = machine;
        this.summaries = summaries;
        this.rounds = rounds;
    }

    void print(PrintStream out) {
        out.println();
        machine.forEach((name, value) -> out.printf("%-14s %s%n", name, value));
        out.printf(
                "%nProcessor time in %% of one processor, median (lowest to highest) of %d rounds, a range that holds the true median with a"
                        + " probability of %.0f %%.%nadded: broker with consumers minus broker without, within a round."
                        + "%nacked: from sending a record to its acknowledgement by the broker; first, all: to the first and each of the waiting consumers"
                        + " of its partition holding it, in microseconds%n",
                rounds, Report.confidence(rounds) * 100);
        out.printf(
                "%-12s %8s %6s %-22s %-24s %-22s %7s %10s %10s %10s %10s %10s%n",
                "consumers",
                "polls/s",
                "rdma",
                "broker %",
                "added %",
                "proxy %",
                "client",
                "acked p50",
                "first p50",
                "first p99",
                "all p50",
                "all p99");
        for (IdleSummary summary : summaries) {
            out.printf(
                    "%-12s %8.0f %6s %-22s %-24s %-22s %7.1f %10.0f %10.0f %10.0f %10.0f %10.0f%n",
                    summary.idleCase().label(),
                    summary.pollsPerSecond(),
                    summary.idleCase() == IdleCase.PROXY_RDMA ? Math.round(summary.rdmaShare() * 100) + " %" : "",
                    percent(summary.broker()),
                    percent(summary.brokerAdded()),
                    percent(summary.proxy()),
                    summary.client() * 100,
                    us(summary.acknowledged(), 50),
                    us(summary.firstWakeUps(), 50),
                    us(summary.firstWakeUps(), 99),
                    us(summary.wakeUps(), 50),
                    us(summary.wakeUps(), 99));
            if (summary.idleCase() == IdleCase.PROXY_RDMA) {
                out.printf(
                        "targets: broker equal to nobody within the error of measurement %s, proxy under 5 %% %s%n",
                        rounds == 1
                                ? "cannot be told from one round"
                                : summary.brokerAdded().reachesZero() ? "met" : "missed",
                        summary.proxy().median() < MOST_PROXY ? "met" : "missed");
            }
        }
    }

    private static String percent(Spread spread) {
        return String.format(
                "%.1f (%.1f to %.1f)", spread.median() * 100, spread.lowest() * 100, spread.highest() * 100);
    }

    private static double us(Histogram histogram, double percentile) {
        return histogram.getValueAtPercentile(percentile) / 1e3;
    }

    void write(Path file) throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode root = mapper.createObjectNode();
        machine.forEach(root.putObject("machine")::put);
        root.put("rounds", rounds);
        ArrayNode results = root.putArray("results");
        for (IdleSummary summary : summaries) {
            ObjectNode result = results.addObject()
                    .put("case", summary.idleCase().name())
                    .put("pollsPerSecond", summary.pollsPerSecond())
                    .put("rdmaShare", summary.rdmaShare())
                    .put("client", summary.client())
                    .put("records", summary.firstWakeUps().getTotalCount())
                    .put("acknowledgedP50Us", us(summary.acknowledged(), 50))
                    .put("firstWakeUpP50Us", us(summary.firstWakeUps(), 50))
                    .put("firstWakeUpP99Us", us(summary.firstWakeUps(), 99))
                    .put("wakeUpP50Us", us(summary.wakeUps(), 50))
                    .put("wakeUpP99Us", us(summary.wakeUps(), 99))
                    .put("wakeUpMostUs", us(summary.wakeUps(), 100));
            put(result, "broker", summary.broker());
            put(result, "brokerAdded", summary.brokerAdded());
            put(result, "proxy", summary.proxy());
        }
        mapper.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), root);
    }

    private static void put(ObjectNode result, String name, Spread spread) {
        result.put(name, spread.median()).put(name + "Lowest", spread.lowest()).put(name + "Highest", spread.highest());
    }
}
