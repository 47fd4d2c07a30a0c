// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

import static io.slipstream.bench.report.Target.Rule.AT_MOST;
import static io.slipstream.bench.report.Target.Rule.BELOW;
import static io.slipstream.bench.report.Target.Rule.TIMES_AS_FAST;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The targets for a machine with two CPUs and shared memory. Each names the deciding workload and metric. */
public final class Targets {
    private static final String PRODUCE = "PRODUCE";
    private static final String FETCH = "FETCH";
    private static final String EMPTY = "EMPTY_FETCH";
    private static final String COMMIT = "OFFSET_COMMIT";
    private static final String TRANSACTION = "TRANSACTION";
    private static final String EMPTY_MANY = "EMPTY_FETCH_PIPELINED";
    private static final String EMPTY_CONNECTIONS = "EMPTY_FETCH_CONNECTIONS";
    private static final String END_TO_END = "END_TO_END";
    private static final String END_TO_END_PACED = "END_TO_END_PACED";
    private static final String PRODUCE_MANY = "PRODUCE_1K_PIPELINED";
    private static final String SCAN = "SCAN";
    private static final String IDLE = "IDLE_1000";
    /** Workloads of replication and of the stock tools. */
    private static final String REPLICATED = "PRODUCE_RF3";

    private static final String COPIER = "COPIER";
    private static final String STREAMS = "STREAMS";
    private static final String PRODUCER_PERF = "PRODUCER_PERF";
    private static final String CONSUMER_PERF = "CONSUMER_PERF";

    /** The project's table; {@code --quick} measures its workloads. */
    public static final List<Target> TABLE = List.of(
            Target.of("produce acks=1, 100 B, round trip p50", PRODUCE, Metric.RATIO, AT_MOST, 0.4),
            Target.of("one-batch fetch, round trip p50", FETCH, Metric.RATIO, AT_MOST, 0.22),
            Target.of("empty fetch, round trip p50", EMPTY, Metric.RATIO, AT_MOST, 0.25),
            Target.of("empty fetch, to the echo floor", EMPTY, Metric.FLOOR_RATIO, AT_MOST, 1.2),
            Target.of("end to end, 100 B, p50", END_TO_END, Metric.RATIO, AT_MOST, 0.45),
            Target.of("empty fetches per second, 32 in flight", EMPTY_MANY, Metric.RATIO, TIMES_AS_FAST, 1.0 / 10),
            Target.of(
                    "1 KiB un-batched produces per second, 32 in flight",
                    PRODUCE_MANY,
                    Metric.RATIO,
                    TIMES_AS_FAST,
                    1.0 / 6),
            Target.of("broker processor time per empty fetch", EMPTY_MANY, Metric.BROKER_TIME, BELOW, 0.1),
            Target.of(
                    "broker processor time per GB produced, un-batched 1 KiB",
                    PRODUCE_MANY,
                    Metric.BROKER_SHARE,
                    AT_MOST,
                    1.0 / 3),
            Target.of("broker processor time per GB consumed", SCAN, Metric.BROKER_SHARE, AT_MOST, 1.0 / 50),
            Target.of("kafka-producer-perf-test, saturated", PRODUCER_PERF, Metric.RATIO, AT_MOST, 1),
            Target.of("kafka-consumer-perf-test, saturated", CONSUMER_PERF, Metric.RATIO, AT_MOST, 1),
            Target.of("replication factor 3, acks=all, produce p50", REPLICATED, Metric.RATIO, AT_MOST, 0.8),
            processors("produce acks=1, 100 B", PRODUCE),
            processors("one-batch fetch", FETCH),
            processors("1 KiB un-batched produces, 32 in flight", PRODUCE_MANY),
            processors("scan by one consumer", SCAN),
            proxy("produce acks=1, 100 B", PRODUCE, 22),
            proxy("empty fetch", EMPTY, 15),
            p99("produce acks=1, 100 B", PRODUCE),
            p99("one-batch fetch", FETCH),
            p99("empty fetch", EMPTY),
            p99("end to end, 100 B", END_TO_END),
            p99("replication factor 3, acks=all", REPLICATED));

    /** Targets of single suites, shown when these are measured. */
    public static final List<Target> OTHERS = others();

    private Targets() {}

    private static Target p99(String experiment, String workload) {
        return Target.of(experiment + ", p99", workload, Metric.P99_RATIO, AT_MOST, 1);
    }

    private static Target processors(String experiment, String workload) {
        return Target.of(
                experiment + ", broker and proxy processor time", workload, Metric.PROCESSOR_SHARE, AT_MOST, 1);
    }

    private static Target proxy(String experiment, String workload, double mostUs) {
        return Target.of(experiment + ", proxy processor time", workload, Metric.PROXY_TIME, AT_MOST, mostUs);
    }

    private static List<Target> others() {
        List<Target> others = new ArrayList<>(List.of(
                Target.of("commit of one offset, round trip p50", COMMIT, Metric.RATIO, AT_MOST, 0.6),
                Target.of("commit of one offset, broker processor time", COMMIT, Metric.BROKER_SHARE, AT_MOST, 0.7),
                Target.of("transaction of one 1 KiB record, p50", TRANSACTION, Metric.RATIO, AT_MOST, 0.75),
                Target.of(
                        "heartbeats of 1 000 members, broker processor time",
                        "HEARTBEAT",
                        Metric.BROKER_SHARE,
                        AT_MOST,
                        0.6),
                Target.of("copier at exactly-once, records per second", COPIER, Metric.RATIO, TIMES_AS_FAST, 1 / 1.5),
                processors("copier at exactly-once", COPIER),
                Target.of("Kafka Streams at exactly-once, records per second", STREAMS, Metric.RATIO, AT_MOST, 1),
                processors("Kafka Streams at exactly-once", STREAMS),
                Target.of("Kafka Streams at exactly-once, start", STREAMS, Metric.START_RATIO, AT_MOST, 1),
                Target.of(
                        "Kafka Streams at exactly-once, first second", STREAMS, Metric.FIRST_SECOND_RATIO, AT_MOST, 1),
                Target.of(
                        "Kafka Streams at 2 000 records/s, broker and proxy processor time",
                        "STREAMS_PACED",
                        Metric.PROCESSOR_SHARE,
                        AT_MOST,
                        0.9),
                Target.of("one-batch fetch of 1 KiB, round trip p50", "FETCH_1K", Metric.RATIO, AT_MOST, 0.5),
                Target.of("one-batch fetch of 16 KiB, round trip p50", "FETCH_16K", Metric.RATIO, AT_MOST, 0.5),
                Target.of(
                        "empty fetches per second, 32 connections",
                        EMPTY_CONNECTIONS,
                        Metric.RATIO,
                        TIMES_AS_FAST,
                        1.0 / 8),
                Target.of(
                        "empty fetches, 32 connections, to the echo floor",
                        EMPTY_CONNECTIONS,
                        Metric.FLOOR_RATIO,
                        AT_MOST,
                        1 / 0.95),
                Target.of(
                        "1 KiB un-batched produces per second, 32 connections",
                        "PRODUCE_1K_CONNECTIONS",
                        Metric.RATIO,
                        TIMES_AS_FAST,
                        1.0 / 3),
                Target.of("end to end, 100 B each 5 ms, p50", END_TO_END_PACED, Metric.RATIO, AT_MOST, 0.6),
                p99("end to end, 100 B each 5 ms", END_TO_END_PACED),
                Target.of("fetch of 1 KiB at the log's end, round trip p50", "FETCH_TAIL", Metric.RATIO, AT_MOST, 0.5),
                Target.of(
                        "scan of un-batched records of 100 B, bandwidth",
                        "FETCH_BANDWIDTH_100B",
                        Metric.RATIO,
                        AT_MOST,
                        0.8),
                Target.of(
                        "scan of un-batched records of 1 KiB, bandwidth",
                        "FETCH_BANDWIDTH_1KIB",
                        Metric.RATIO,
                        AT_MOST,
                        0.8),
                Target.of("fetch of one batch of 1 MiB, round trip p50", "FETCH_SIZE_1MIB", Metric.RATIO, AT_MOST, 0.7),
                Target.of("scan by one consumer, bandwidth", SCAN, Metric.RATIO, AT_MOST, 1),
                Target.of("scan by four consumers, bandwidth", "SCAN_4", Metric.RATIO, AT_MOST, 1),
                Target.of("1 000 waiting consumers, added at the broker", IDLE, Metric.BROKER_ADDED, AT_MOST, 0.005),
                Target.of("1 000 waiting consumers, the proxy", IDLE, Metric.PROXY_USE, AT_MOST, 0.03)));
        others.addAll(List.of(
                followers("p50", REPLICATED, Side.FOLLOWERS, Metric.RATIO, AT_MOST, 0.5),
                followers("p99", REPLICATED, Side.FOLLOWERS, Metric.P99_RATIO, AT_MOST, 0.8),
                followers("and a proxy, p50", REPLICATED, Side.BOTH, Metric.RATIO, AT_MOST, 0.4),
                followers("and a proxy, p99", REPLICATED, Side.BOTH, Metric.P99_RATIO, AT_MOST, 0.8),
                followers(
                        "and a proxy, 1 KiB produces per second, 32 in flight",
                        "PRODUCE_RF3_1K_PIPELINED",
                        Side.BOTH,
                        Metric.RATIO,
                        TIMES_AS_FAST,
                        1.0 / 3),
                followers(
                        "batches of 64 KiB, bandwidth",
                        "PRODUCE_RF3_64K_PIPELINED",
                        Side.FOLLOWERS,
                        Metric.RATIO,
                        TIMES_AS_FAST,
                        1 / 1.5),
                followers(
                        "batches of 64 KiB, processor time of all brokers",
                        "PRODUCE_RF3_64K_PIPELINED",
                        Side.FOLLOWERS,
                        Metric.BROKER_SHARE,
                        AT_MOST,
                        0.6),
                followers("and a proxy, end to end, p50", "END_TO_END_RF3", Side.BOTH, Metric.RATIO, AT_MOST, 0.5),
                followers(
                        "1 000 partitions without traffic, processor time of each broker",
                        "IDLE_RF3",
                        Side.FOLLOWERS,
                        Metric.BROKER_SHARE,
                        AT_MOST,
                        0.5)));
        for (String operation : List.of("WRITE_WITH_IMM_64", "READ_64", "READ_4096")) {
            others.add(new Target(
                    operation + ", to perftest's", operation, new Side("OURS", "ours"), Metric.RATIO, AT_MOST, 1.5));
        }
        return List.copyOf(others);
    }

    private static Target followers(
            String experiment, String workload, Side side, Metric metric, Target.Rule rule, double limit) {
        return new Target("followers by RDMA " + experiment, workload, side, metric, rule, limit);
    }

    /** Returns the ids of the table's workloads. */
    public static Set<String> workloads() {
        Set<String> workloads = new LinkedHashSet<>();
        TABLE.forEach(target -> workloads.add(target.workload()));
        return workloads;
    }

    /** Returns the ids of the workloads of all targets. */
    public static Stream<String> all() {
        return Stream.concat(TABLE.stream(), OTHERS.stream())
                .map(Target::workload)
                .distinct();
    }

    /** Returns the whole table, measured or not, and the measured other targets. */
    public static List<Verdict> judge(List<Result> results) {
        List<Verdict> verdicts = new ArrayList<>();
        TABLE.forEach(target -> verdicts.add(target.judge(results)));
        for (Target target : OTHERS) {
            Verdict verdict = target.judge(results);
            if (verdict.status() != Verdict.Status.NOT_MEASURED) {
                verdicts.add(verdict);
            }
        }
        return verdicts;
    }
}
