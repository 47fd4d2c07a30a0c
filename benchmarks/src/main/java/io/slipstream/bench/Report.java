package io.slipstream.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The result as a table and as JSON. */
final class Report {
    /** Of the direct way's processor time of the broker, for the same bytes. */
    private static final double MOST_BROKER_SHARE = 0.02;

    private final Map<String, String> machine;
    private final List<Summary> summaries;
    private final List<ScanSummary> scans;
    private final int rounds;

    Report(Map<String, String> machine, List<Summary> summaries, List<ScanSummary> scans, int rounds) {
        this.machine = machine;
        this.summaries = summaries;
        this.scans = scans;
        this.rounds = rounds;
    }

    void print(PrintStream out) {
        out.println();
        machine.forEach((name, value) -> out.printf("%-14s %s%n", name, value));
        out.printf(
                "%nratio: cost relative to direct within a round, median (lowest to highest) of %d rounds; below 1 is better%n"
                        + "speed: its inverse. B/op: heap allocated by the threads that requests pass (network, handlers, rings; event loops)%n"
                        + "From lowest to highest is a range that holds the true median with a probability of %.0f %%.%n",
                rounds, confidence(rounds) * 100);
        out.printf(
                "%-30s %-12s %10s %10s %10s   %-20s %6s %12s %12s %12s %12s %11s %6s %s%n",
                "workload",
                "way",
                "median us",
                "p99 us",
                "op/s",
                "ratio",
                "speed",
                "broker us/op",
                "proxy us/op",
                "client us/op",
                "broker B/op",
                "proxy B/op",
                "rdma",
                "target");
        Workload last = null;
        for (Summary summary : summaries) {
            out.printf(
                    "%-30s %-12s %10.1f %10.1f %10.0f   %-20s %6.2f %12.1f %12.1f %12.1f %12.0f %11.0f %6s %s%n",
                    summary.workload() == last ? "" : summary.workload().label(),
                    summary.way().label(),
                    summary.medianUs(),
                    summary.p99Us(),
                    summary.operationsPerSecond(),
                    String.format(
                            "%.2f (%.2f to %.2f)", summary.ratio(), summary.ratioLowest(), summary.ratioHighest()),
                    1 / summary.ratio(),
                    summary.brokerCpuUsPerOperation(),
                    summary.proxyCpuUsPerOperation(),
                    summary.clientCpuUsPerOperation(),
                    summary.brokerBytesPerOperation(),
                    summary.proxyBytesPerOperation(),
                    summary.way().isRdma() ? Math.round(summary.rdmaShare() * 100) + " %" : "",
                    target(summary));
            last = summary.workload();
        }
        if (!scans.isEmpty()) {
            printScans(out);
        }
    }

    private static String target(Summary summary) {
        double target = summary.workload().targetRatio();
        if (target == 0 || summary.way() != Way.PROXY_RDMA) {
            return "";
        }
        return String.format("ratio %.3g %s", target, summary.ratio() <= target ? "met" : "missed");
    }

    /** That n independent measurements do not all lie on the same side of their distribution's median. */
    static double confidence(int rounds) {
        return 1 - Math.pow(2, 1 - rounds);
    }

    private void printScans(PrintStream out) {
        out.printf(
                "%nProcessor seconds for each gigabyte of whole batches. broker: without what it used in the same time while nobody asked it anything (idle)%n"
                        + "of direct: the broker's, all rounds together (lowest to highest round)%n%-30s %-12s %10s %10s %10s   %-28s %10s %10s %s%n",
                "scan", "way", "MB/s", "broker", "idle", "of direct", "proxy", "client", "target");
        for (ScanSummary scan : scans) {
            out.printf(
                    "%-30s %-12s %10.0f %10.4f %9.1f%%   %-28s %10.3f %10.3f %s%n",
                    scan.workload().label(),
                    scan.way().label(),
                    scan.megabytesPerSecond(),
                    scan.brokerSecondsPerGigabyte(),
                    scan.brokerIdle() * 100,
                    String.format(
                            "%.1f %% (%.1f to %.1f)",
                            scan.brokerShare() * 100, scan.brokerShareLowest() * 100, scan.brokerShareHighest() * 100),
                    scan.proxySecondsPerGigabyte(),
                    scan.clientSecondsPerGigabyte(),
                    scan.way() != Way.PROXY_RDMA
                            ? ""
                            : "2 % " + (scan.brokerShare() < MOST_BROKER_SHARE ? "met" : "missed"));
        }
    }

    void write(Path file) throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode root = mapper.createObjectNode();
        machine.forEach(root.putObject("machine")::put);
        root.put("rounds", rounds);
        ArrayNode results = root.putArray("results");
        for (Summary summary : summaries) {
            results.addObject()
                    .put("workload", summary.workload().name())
                    .put("way", summary.way().name())
                    .put("medianUs", summary.medianUs())
                    .put("p99Us", summary.p99Us())
                    .put("operationsPerSecond", summary.operationsPerSecond())
                    .put("ratio", summary.ratio())
                    .put("ratioLowest", summary.ratioLowest())
                    .put("ratioHighest", summary.ratioHighest())
                    .put("brokerCpuUsPerOperation", summary.brokerCpuUsPerOperation())
                    .put("proxyCpuUsPerOperation", summary.proxyCpuUsPerOperation())
                    .put("brokerBytesPerOperation", summary.brokerBytesPerOperation())
                    .put("proxyBytesPerOperation", summary.proxyBytesPerOperation())
                    .put("clientCpuUsPerOperation", summary.clientCpuUsPerOperation())
                    .put("rdmaShare", summary.rdmaShare());
        }
        ArrayNode scanResults = root.putArray("scans");
        for (ScanSummary scan : scans) {
            scanResults
                    .addObject()
                    .put("workload", scan.workload().name())
                    .put("way", scan.way().name())
                    .put("megabytesPerSecond", scan.megabytesPerSecond())
                    .put("brokerSecondsPerGigabyte", scan.brokerSecondsPerGigabyte())
                    .put("brokerIdle", scan.brokerIdle())
                    .put("brokerShare", scan.brokerShare())
                    .put("brokerShareLowest", scan.brokerShareLowest())
                    .put("brokerShareHighest", scan.brokerShareHighest())
                    .put("proxySecondsPerGigabyte", scan.proxySecondsPerGigabyte())
                    .put("clientSecondsPerGigabyte", scan.clientSecondsPerGigabyte());
        }
        mapper.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), root);
    }
}
