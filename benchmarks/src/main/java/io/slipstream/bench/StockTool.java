// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.report.Metric;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Kafka's own measuring tools, and whole jobs of stock clients: their arguments and their output. */
enum StockTool {
    PRODUCER_PERF("kafka-producer-perf-test", "ProducerPerformance", 1 << 10, 600_000) {
        @Override
        List<String> arguments(int records) {
            return List.of(
                    "--num-records", Integer.toString(records),
                    "--record-size", Integer.toString(recordBytes()),
                    "--warmup-records", Integer.toString(records / 3),
                    "--throughput", "-1",
                    "--reporting-interval", "60000");
        }

        @Override
        double costUs(String output, int records) {
            Matcher line = last(STEADY_STATE, output);
            require(Integer.parseInt(line.group(1)) == records - records / 3, output);
            return MICROSECONDS / Double.parseDouble(line.group(2));
        }
    },
    CONSUMER_PERF("kafka-consumer-perf-test", "ConsumerPerformance", 1 << 10, 1_000_000) {
        @Override
        List<String> arguments(int records) {
            return List.of("--num-records", Integer.toString(records), "--hide-header");
        }

        /** Excludes the time to join the group. */
        @Override
        double costUs(String output, int records) {
            Matcher line = last(CONSUMED, output);
            require(Integer.parseInt(line.group(1)) >= records, output);
            return MICROSECONDS / Double.parseDouble(line.group(2));
        }
    },
    END_TO_END_LATENCY("kafka-e2e-latency", "EndToEndLatency", 100, 5_000) {
        @Override
        List<String> arguments(int records) {
            return List.of(
                    "--num-records", Integer.toString(records),
                    "--record-size", Integer.toString(recordBytes()),
                    "--producer-acks", "1");
        }

        /** The tool's percentiles are whole milliseconds. */
        @Override
        double costUs(String output, int records) {
            return Double.parseDouble(last(AVERAGE, output).group(1)) * 1e3;
        }
    },
    COPIER("copier, exactly once", "Copier", 1 << 10, 120_000) {
        @Override
        List<String> arguments(int records) {
            return List.of(
                    "--num-records",
                    Integer.toString(records),
                    "--warmup-records",
                    Integer.toString(records / 3),
                    "--transaction-records",
                    "100");
        }
    },
    STREAMS("Kafka Streams, exactly_once_v2", "StreamsJob", 1 << 10, 300_000) {
        @Override
        List<String> arguments(int records) {
            return List.of(
                    "--num-records", Integer.toString(records), "--warmup-records", Integer.toString(records / 3));
        }

        @Override
        Map<Metric, Double> start(String output) {
            Matcher line = last(FIRST_SECOND, output);
            return Map.of(
                    Metric.FIRST_SECOND, Double.valueOf(line.group(1)),
                    Metric.START, Double.valueOf(line.group(2)));
        }
    },
    STREAMS_PACED("Kafka Streams, 2 000 records/s", "StreamsJob", 1 << 10, 30_000) {
        @Override
        List<String> arguments(int records) {
            List<String> arguments = new ArrayList<>(STREAMS.arguments(records));
            arguments.addAll(List.of(
                    "--record-size", Integer.toString(recordBytes()), "--per-second", Integer.toString(PER_SECOND)));
            return arguments;
        }
    };

    static final List<StockTool> TOOLS = List.of(PRODUCER_PERF, CONSUMER_PERF, END_TO_END_LATENCY);
    static final List<StockTool> JOBS = List.of(COPIER, STREAMS, STREAMS_PACED);

    private static final double MICROSECONDS = 1e6;
    /** The constant load, and how far the timed records may be from it. */
    private static final int PER_SECOND = 2_000;

    private static final double MOST_DEVIATION = 0.05;
    private static final Pattern STEADY_STATE =
            Pattern.compile("(?m)^(\\d+) steady state records sent, ([\\d.]+) records/sec ");
    private static final Pattern CONSUMED = Pattern.compile(
            "(?m)^[-\\d: ]+, [-\\d: ]+, [\\d.]+, [\\d.]+, (\\d+), [\\d.]+, \\d+, \\d+, [\\d.]+, ([\\d.]+)$");
    private static final Pattern OF_JOB =
            Pattern.compile("(?m)^(\\d+) records \\w+ after the first (\\d+), ([\\d.]+) records/s$");
    private static final Pattern FIRST_SECOND =
            Pattern.compile("(?m)^(\\d+) records in the first second, started in (\\d+) ms$");
    private static final String PROCESSORS = "(?m)^(\\d+) ms of processor time by process %d$";
    private static final Pattern AVERAGE = Pattern.compile("(?m)^Avg latency: ([\\d.]+) ms$");
    private static final Map<String, String> ENGLISH = Map.of("user.language", "en", "user.country", "US");

    private final String tool;
    private final String className;
    private final int recordBytes;
    private final int usualRecords;

    StockTool(String tool, String className, int recordBytes, int usualRecords) {
        this.tool = tool;
        this.className = className;
        this.recordBytes = recordBytes;
        this.usualRecords = usualRecords;
    }

    /** Returns the arguments except address and topics. */
    abstract List<String> arguments(int records);

    /**
     * Returns microseconds per record.
     *
     * @throws IllegalStateException if the output is not that of a complete run
     */
    double costUs(String output, int records) {
        Matcher line = last(OF_JOB, output);
        require(Integer.parseInt(line.group(1)) + Integer.parseInt(line.group(2)) == records, output);
        return MICROSECONDS / Double.parseDouble(line.group(3));
    }

    /** Returns what Kafka Streams on a backlog prints about its start; nothing for others. */
    Map<Metric, Double> start(String output) {
        return Map.of();
    }

    /** Returns the processor time of a process while the timed records of a paced job passed. */
    static long processorsNs(String output, long pid) {
        Matcher line = last(Pattern.compile(String.format(PROCESSORS, pid)), output);
        return TimeUnit.MILLISECONDS.toNanos(Long.parseLong(line.group(1)));
    }

    /** Whether it feeds its own records at a constant rate, so that only processor time tells ways apart. */
    boolean isPaced() {
        return this == STREAMS_PACED;
    }

    /** Whether the timed records passed at the rate at which a paced job feeds them. */
    boolean keptUp(double costUs) {
        return !isPaced() || Math.abs(MICROSECONDS / costUs / PER_SECOND - 1) <= MOST_DEVIATION;
    }

    /** Whether it reads one topic and writes another one. */
    boolean isJob() {
        return JOBS.contains(this);
    }

    /** Whether it reads a log that is there before. */
    boolean readsLog() {
        return isJob() && !isPaced() || this == CONSUMER_PERF;
    }

    String tool() {
        return tool;
    }

    String className() {
        return (isJob() ? "io.slipstream.bench.job." : "org.apache.kafka.tools.") + className;
    }

    int recordBytes() {
        return recordBytes;
    }

    int usualRecords() {
        return usualRecords;
    }

    boolean isThroughput() {
        return this != END_TO_END_LATENCY;
    }

    /** Makes the JVM print numbers in the expected format. */
    static List<String> jvmArguments() {
        return ENGLISH.entrySet().stream()
                .map(each -> "-D" + each.getKey() + '=' + each.getValue())
                .sorted()
                .toList();
    }

    private static Matcher last(Pattern pattern, String output) {
        Matcher matcher = pattern.matcher(output);
        int end = -1;
        while (matcher.find()) {
            end = matcher.start();
        }
        require(end >= 0, output);
        matcher.find(end);
        return matcher;
    }

    private static void require(boolean complete, String output) {
        if (!complete) {
            throw new IllegalStateException("not what a complete run prints:\n" + output);
        }
    }
}
