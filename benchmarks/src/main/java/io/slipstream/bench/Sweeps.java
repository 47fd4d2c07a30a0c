// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.report.Metric;
import io.slipstream.bench.report.Plot;
import io.slipstream.bench.report.Plot.Axis;
import io.slipstream.bench.report.Result;
import io.slipstream.bench.report.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Workloads that differ in one number, and their plots. */
final class Sweeps {
    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;
    private static final int[] LATENCY_SIZES = {100, KIB, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB};
    private static final int[] BANDWIDTH_SIZES = {100, KIB, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB};
    private static final int[] BATCHED_SIZES = {100, KIB, 8 * KIB};
    private static final int[] PARTITIONS = {1, 2, 4, 8, 16};
    /** In addition to 1, which is the scan of un-batched records of that size. */
    private static final int[] SCANNED_PARTITIONS = {4, 16};

    private static final int BATCH_BYTES = 64 * KIB;
    private static final int MOST_IN_FLIGHT = 32;
    private static final int BATCHES_IN_FLIGHT = 8;
    /** Limits the bytes in flight so that they fit the request ring and the proxy's socket read with room to spare. */
    private static final int MOST_BYTES_IN_FLIGHT = MIB;

    private static final Axis SIZE = Axis.logarithmic("record size, bytes");
    private static final Axis MICROSECONDS = Axis.logarithmic("median round trip, µs");
    private static final Axis BANDWIDTH = Axis.logarithmic("MB/s");
    private static final Axis BROKER_TIME = Axis.logarithmic("broker processor time, s/GB");

    static final List<Workload> PRODUCE_SIZES = new ArrayList<>();
    static final List<Workload> PRODUCE_BANDWIDTH = new ArrayList<>();
    static final List<Workload> FETCH_SIZES = new ArrayList<>();
    static final List<Workload> FETCH_BANDWIDTH = new ArrayList<>();
    private static final String UNBATCHED = "PRODUCE_BANDWIDTH_";
    private static final String BATCHED = "PRODUCE_BATCHED_";
    private static final String PARTITIONED = "PRODUCE_PARTITIONS_";
    private static final String SCANNED = "FETCH_BANDWIDTH_";
    private static final String SCANNED_BATCHED = "FETCH_BATCHED_";
    private static final String SCANNED_PARTITIONED = "FETCH_PARTITIONS_";

    static {
        for (int size : LATENCY_SIZES) {
            PRODUCE_SIZES.add(sized("PRODUCE_SIZE_", "produce ", Workload.Kind.PRODUCE, 1, size, 1));
            FETCH_SIZES.add(sized("FETCH_SIZE_", "fetch one batch of ", Workload.Kind.ONE_BATCH, 1, size, 1));
        }
        for (int size : BANDWIDTH_SIZES) {
            int inFlight = Math.min(MOST_IN_FLIGHT, MOST_BYTES_IN_FLIGHT / size);
            PRODUCE_BANDWIDTH.add(sized(UNBATCHED, "un-batched ", Workload.Kind.PRODUCE, inFlight, size, 1));
            FETCH_BANDWIDTH.add(sized(SCANNED, "scan, un-batched ", Workload.Kind.SCAN, 1, size, 1));
        }
        for (int size : BATCHED_SIZES) {
            int records = BATCH_BYTES / size;
            PRODUCE_BANDWIDTH.add(sized(BATCHED, "batched ", Workload.Kind.PRODUCE, BATCHES_IN_FLIGHT, size, records));
            FETCH_BANDWIDTH.add(sized(SCANNED_BATCHED, "scan, batched ", Workload.Kind.SCAN, 1, size, records));
        }
        for (int partitions : PARTITIONS) {
            PRODUCE_BANDWIDTH.add(new Workload(
                    PARTITIONED + partitions,
                    "un-batched 1 KiB, partitions: " + partitions,
                    Workload.Kind.PRODUCE,
                    MOST_IN_FLIGHT,
                    KIB,
                    1,
                    partitions,
                    1,
                    true));
        }
        for (int partitions : SCANNED_PARTITIONS) {
            FETCH_BANDWIDTH.add(new Workload(
                    SCANNED_PARTITIONED + partitions,
                    "scan, un-batched 1 KiB, partitions: " + partitions,
                    Workload.Kind.SCAN,
                    1,
                    KIB,
                    1,
                    partitions,
                    1,
                    true));
        }
    }

    private Sweeps() {}

    private static Workload sized(
            String name, String label, Workload.Kind kind, int inFlight, int sizeBytes, int batchRecords) {
        return new Workload(
                name + size(sizeBytes).replace(" ", "").toUpperCase(Locale.ROOT),
                label + size(sizeBytes) + (inFlight > 1 ? ", " + inFlight + " in flight" : ""),
                kind,
                inFlight,
                sizeBytes,
                batchRecords,
                1,
                1,
                true);
    }

    static String size(int bytes) {
        return bytes < KIB ? bytes + " B" : bytes < MIB ? bytes / KIB + " KiB" : bytes / MIB + " MiB";
    }

    static List<Plot> produceSizePlots(List<Result> results) {
        return List.of(
                overSize("produce-latency", "Produce, one record, acks=1", Metric.MEDIAN, MICROSECONDS, results));
    }

    static List<Plot> fetchSizePlots(List<Result> results) {
        return List.of(overSize("fetch-latency", "Fetch of one preloaded batch", Metric.MEDIAN, MICROSECONDS, results));
    }

    static List<Plot> produceBandwidthPlots(List<Result> results) {
        List<Result> single = named(UNBATCHED, results);
        return List.of(
                overSize("produce-bandwidth", "Produce, un-batched", Metric.BANDWIDTH, BANDWIDTH, single),
                overSize("produce-broker-time", "Produce, un-batched", Metric.BROKER_PER_GIGABYTE, BROKER_TIME, single),
                overSize(
                        "produce-bandwidth-batched",
                        "Produce, batches of 64 KiB",
                        Metric.BANDWIDTH,
                        BANDWIDTH,
                        named(BATCHED, results)),
                overPartitions(
                        "produce-bandwidth-partitions", "Produce, un-batched 1 KiB", named(PARTITIONED, results)));
    }

    static List<Plot> fetchBandwidthPlots(List<Result> results) {
        List<Result> single = named(SCANNED, results);
        return List.of(
                overSize("fetch-bandwidth", "Scan, one record in each batch", Metric.BANDWIDTH, BANDWIDTH, single),
                overSize(
                        "fetch-broker-time",
                        "Scan, one record in each batch",
                        Metric.BROKER_PER_GIGABYTE,
                        BROKER_TIME,
                        single),
                overSize(
                        "fetch-bandwidth-batched",
                        "Scan, batches of 64 KiB",
                        Metric.BANDWIDTH,
                        BANDWIDTH,
                        named(SCANNED_BATCHED, results)),
                overPartitions(
                        "fetch-bandwidth-partitions",
                        "Scan, un-batched 1 KiB, 1 MiB a request",
                        Stream.concat(
                                        named(SCANNED + "1KIB", results).stream(),
                                        named(SCANNED_PARTITIONED, results).stream())
                                .toList()));
    }

    private static Plot overPartitions(String name, String title, List<Result> results) {
        return Plot.over(
                name,
                title,
                Subject.PARTITIONS,
                Axis.linear("partitions"),
                Metric.BANDWIDTH,
                Axis.linear("MB/s"),
                results);
    }

    private static Plot overSize(String name, String title, Metric metric, Axis y, List<Result> results) {
        return Plot.over(name, title, Subject.RECORD_BYTES, SIZE, metric, y, results);
    }

    private static List<Result> named(String prefix, List<Result> results) {
        return results.stream()
                .filter(result -> result.subject().workload().startsWith(prefix))
                .toList();
    }
}
