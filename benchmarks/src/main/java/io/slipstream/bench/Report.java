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
    private final Map<String, String> machine;
    private final List<Summary> summaries;
    private final int rounds;

    Report(Map<String, String> machine, List<Summary> summaries, int rounds) {
        this.machine = machine;
        this.summaries = summaries;
        this.rounds = rounds;
    }

    void print(PrintStream out) {
        out.println();
        machine.forEach((name, value) -> out.printf("%-14s %s%n", name, value));
        out.printf(
                "%nratio: cost relative to direct within a round, median (lowest to highest) of %d rounds; below 1 is better%n"
                        + "speed: its inverse. B/op: heap allocated by the threads that requests pass (network, handlers, rings; event loops)%n",
                rounds);
        out.printf(
                "%-30s %-12s %10s %10s %10s   %-20s %6s %12s %12s %12s %11s %6s%n",
                "workload",
                "way",
                "median us",
                "p99 us",
                "op/s",
                "ratio",
                "speed",
                "broker us/op",
                "proxy us/op",
                "broker B/op",
                "proxy B/op",
                "rdma");
        Workload last = null;
        for (Summary summary : summaries) {
            out.printf(
                    "%-30s %-12s %10.1f %10.1f %10.0f   %-20s %6.2f %12.1f %12.1f %12.0f %11.0f %6s%n",
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
                    summary.brokerBytesPerOperation(),
                    summary.proxyBytesPerOperation(),
                    summary.way().isRdma() ? Math.round(summary.rdmaShare() * 100) + " %" : "");
            last = summary.workload();
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
                    .put("rdmaShare", summary.rdmaShare());
        }
        mapper.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), root);
    }
}
