// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import io.slipstream.process.MetricSamples;
import io.slipstream.process.PathCounts;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Renders a result as a table for people and as an object for programs. Pure except for printing. */
final class Report {
    private static final double NS_PER_US = 1_000;
    private static final double NS_PER_S = 1e9;

    private Report() {}

    static void print(DemonstrationResult result, PathCounts paths, MetricSamples samples, PrintStream out) {
        out.printf("%n%-32s %12s %12s %12s %10s%n", "", "records", "by RDMA", "by TCP", "RDMA");
        row(out, "produced", result.produced(), paths.rdmaProduced(), paths.tcpProduced());
        row(out, "consumed", result.consumed(), paths.rdmaFetched(), paths.tcpFetched());
        samples.all().stream()
                .filter(sample -> sample.name().equals("slipstream_fallbacks_total") && sample.value() > 0)
                .forEach(sample -> out.printf(
                        "  %-30s %12.0f requests over TCP%n", sample.labels().get("reason"), sample.value()));
        out.printf("%n%-32s %12s %12s %12s%n", "single events, µs", "median", "p99", "max");
        latency(out, "acknowledged (acks=all)", result.acknowledgedNs());
        latency(out, "received by the consumer", result.deliveredNs());
        out.printf(
                "%nat full speed: %,.0f events/s from sensor to consumer; lost, duplicated, reordered or altered: %d%n",
                result.bulkRecords() * NS_PER_S / Math.max(1, result.bulkNs()), result.mismatches());
        if (result.failure() != null) {
            out.println("failed: " + result.failure());
        }
    }

    static Map<String, Object> json(DemonstrationResult result, PathCounts paths, String provider) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("produced", result.produced());
        json.put("consumed", result.consumed());
        json.put("mismatches", result.mismatches());
        json.put("rdma", directions(paths.rdmaProduced(), paths.rdmaFetched()));
        json.put("tcp", directions(paths.tcpProduced(), paths.tcpFetched()));
        json.put("provider", provider);
        return json;
    }

    private static Map<String, Long> directions(long produced, long fetched) {
        Map<String, Long> directions = new LinkedHashMap<>();
        directions.put("produceRecords", produced);
        directions.put("fetchRecords", fetched);
        return directions;
    }

    private static void row(PrintStream out, String name, long records, long rdma, long tcp) {
        double percent = rdma + tcp == 0 ? 0 : 100.0 * rdma / (rdma + tcp);
        out.printf(Locale.ROOT, "%-32s %12d %12d %12d %8.2f %%%n", name, records, rdma, tcp, percent);
    }

    private static void latency(PrintStream out, String name, Histogram ns) {
        out.printf(
                Locale.ROOT,
                "%-32s %12.0f %12.0f %12.0f%n",
                name,
                ns.getValueAtPercentile(50) / NS_PER_US,
                ns.getValueAtPercentile(99) / NS_PER_US,
                ns.getMaxValue() / NS_PER_US);
    }
}
