package io.slipstream.bench.transport;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The comparison as a table and as JSON. */
record TransportReport(Map<String, String> machine, int iterations, int rounds, List<Comparison> comparisons) {
    /** What a median of ours may be of perftest's, in a JVM of the first compiler tier. */
    static final double TARGET_RATIO = 1.5;

    void print(PrintStream out) {
        out.println();
        machine.forEach((name, value) -> out.printf("%-14s %s%n", name, value));
        out.printf(
                "%n%d operations a round, %d rounds; medians of the rounds' p50 and p99; ratio: p50 of ours to perftest's within a round, median "
                        + "(lowest to highest); writes: half a round trip%n",
                iterations, rounds);
        out.printf(
                "%-20s %-30s %10s %10s %13s %13s   %-20s %s%n",
                "operation", "perftest", "p50 us", "p99 us", "perftest p50", "perftest p99", "ratio", "target");
        for (Comparison comparison : comparisons) {
            out.println(line(comparison));
        }
    }

    private static String line(Comparison comparison) {
        Experiment experiment = comparison.experiment();
        String ours = String.format(
                Locale.ROOT,
                "%-20s %-30s %10.2f %10.2f",
                experiment.label(),
                comparison.isComplete() ? String.join(" ", experiment.perftest()) : "",
                Comparison.median(comparison.ours(), Latency::p50Us),
                Comparison.median(comparison.ours(), Latency::p99Us));
        if (!comparison.isComplete()) {
            return ours;
        }
        return ours
                + String.format(
                        Locale.ROOT,
                        " %13.2f %13.2f   %-20s %s",
                        Comparison.median(comparison.perftest(), Latency::p50Us),
                        Comparison.median(comparison.perftest(), Latency::p99Us),
                        String.format(
                                Locale.ROOT,
                                "%.2f (%.2f to %.2f)",
                                comparison.ratio(),
                                comparison.lowestRatio(),
                                comparison.highestRatio()),
                        target(comparison));
    }

    private static String target(Comparison comparison) {
        if (!comparison.experiment().hasTarget()) {
            return "none";
        }
        return "<= " + TARGET_RATIO + (isMet(comparison) ? " met" : " missed");
    }

    private static boolean isMet(Comparison comparison) {
        return comparison.ratio() <= TARGET_RATIO;
    }

    void write(Path file) throws IOException {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode root = mapper.createObjectNode();
        machine.forEach(root.putObject("machine")::put);
        root.put("iterations", iterations).put("rounds", rounds).put("targetRatio", TARGET_RATIO);
        var results = root.putArray("results");
        for (Comparison comparison : comparisons) {
            ObjectNode result = results.addObject()
                    .put("experiment", comparison.experiment().name())
                    .put("p50Us", Comparison.median(comparison.ours(), Latency::p50Us))
                    .put("p99Us", Comparison.median(comparison.ours(), Latency::p99Us));
            if (comparison.isComplete()) {
                result.put("perftest", String.join(" ", comparison.experiment().perftest()))
                        .put("perftestP50Us", Comparison.median(comparison.perftest(), Latency::p50Us))
                        .put("perftestP99Us", Comparison.median(comparison.perftest(), Latency::p99Us))
                        .put("ratio", comparison.ratio())
                        .put("ratioLowest", comparison.lowestRatio())
                        .put("ratioHighest", comparison.highestRatio());
            }
            if (comparison.isComplete() && comparison.experiment().hasTarget()) {
                result.put("met", isMet(comparison));
            }
        }
        mapper.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), root);
    }
}
