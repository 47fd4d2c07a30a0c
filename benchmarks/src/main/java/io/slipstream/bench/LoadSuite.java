// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.report.Metric;
import io.slipstream.bench.report.Plot;
import io.slipstream.bench.report.Plot.Axis;
import io.slipstream.bench.report.Result;
import io.slipstream.bench.report.Subject;
import io.slipstream.harness.raw.Batches;
import io.slipstream.harness.raw.ProduceRequests;
import io.slipstream.harness.raw.RequestFrame;
import io.slipstream.harness.raw.TopicRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Open-loop latency by load, and the highest load whose p99 stays within a limit. */
final class LoadSuite implements Suite {
    private static final String WORKLOAD = "LOAD_SWEEP";
    private static final int ROUNDS = 3;
    private static final int MEASURE_MS = 1_000;
    private static final int WARMUP_MS = 3_000;
    private static final int VALUE_BYTES = 1 << 10;
    /** This many fit the request ring and the proxy's socket read with room to spare. */
    private static final int MOST_IN_FLIGHT = 512;
    /**
     * This many consecutive unsustained loads end a way's round. A p99 above the limit does not, because one stall can
     * cause it.
     */
    private static final int TOO_MANY = 2;

    /** Factor of the scheduled time after which unsent requests are given up. */
    private static final int MOST_TIMES = 2;

    private static final long AROUND_MS = 100;

    @Override
    public String name() {
        return "load-sweep";
    }

    @Override
    public String sentence() {
        return "un-batched 1 KiB produces at scheduled times (open loop), by rate; latency counts from the scheduled time";
    }

    @Override
    public List<String> workloads(BenchOptions options) {
        return options.isQuick() ? List.of() : List.of(WORKLOAD);
    }

    @Override
    public void check(BenchOptions options) {
        options.load().check(options);
    }

    @Override
    public int rounds(BenchOptions options) {
        return options.rounds(ROUNDS);
    }

    private static long measureNs(BenchOptions options) {
        return TimeUnit.MILLISECONDS.toNanos(options.measureMs(MEASURE_MS));
    }

    private static long warmupNs(BenchOptions options) {
        return Math.max(1, measureNs(options) / 4);
    }

    @Override
    public long estimateMs(BenchOptions options) {
        int ways = options.servedWays().size();
        int loads = options.load().loads().size();
        long eachMs = AROUND_MS + TimeUnit.NANOSECONDS.toMillis(warmupNs(options) + measureNs(options));
        return WorkloadSuite.startMs(this, options)
                + ways * (options.warmupMs(WARMUP_MS) + (long) rounds(options) * loads * eachMs);
    }

    @Override
    public SuiteResult run(Session session) throws Exception {
        BenchOptions options = session.options();
        BenchStage stage = session.stage();
        List<Way> ways = List.copyOf(options.servedWays());
        List<Integer> loads = options.load().loads();
        Map<Way, List<RequestFrame>> requests = new EnumMap<>(Way.class);
        for (Way way : ways) {
            requests.put(way, requests(stage.createTopic(WORKLOAD, way, 1)));
            session.progress().say(0, "warming up: " + way.label());
            long warmupNs = TimeUnit.MILLISECONDS.toNanos(options.warmupMs(WARMUP_MS));
            int load = loads.get(loads.size() / 2);
            new LoadRun(Schedule.constant(load), 0, warmupNs, MOST_TIMES * warmupNs)
                    .run(stage.address(way), requests.get(way), MOST_IN_FLIGHT);
        }
        List<LoadSample> samples = new ArrayList<>();
        for (int round = 0; round < rounds(options); round++) {
            Map<Way, Integer> beyond = new EnumMap<>(Way.class);
            for (int level = 0; level < loads.size(); level++) {
                StringBuilder line = new StringBuilder(
                        String.format("round %d/%d  %6d/s due ", round + 1, rounds(options), loads.get(level)));
                for (int i = 0; i < ways.size(); i++) {
                    Way way = ways.get((i + round) % ways.size());
                    if (beyond.getOrDefault(way, 0) < TOO_MANY) {
                        LoadSample sample = measure(stage, way, requests.get(way), loads.get(level), round, options);
                        samples.add(sample);
                        beyond.put(way, sample.isOverload() ? beyond.getOrDefault(way, 0) + 1 : 0);
                        line.append(String.format(
                                "  %s %.0f/s p99 %.2f ms", way.label(), sample.perSecond(), sample.p99Ms()));
                    }
                }
                double done = (round + (level + 1.0) / loads.size()) / rounds(options);
                session.progress().say(done, line.toString());
            }
        }
        stage.retire();
        List<Result> results =
                LoadSummary.all(name(), options.servedWays(), options.load().p99LimitMs(), samples);
        return new SuiteResult(results, plots(results), WorkloadSuite.problems(results, List.of()));
    }

    private static List<RequestFrame> requests(TopicRef topic) {
        return List.of(ProduceRequests.version(ProduceRequests.NEWEST, 1)
                .add(topic, 0, Batches.of(new byte[VALUE_BYTES]))
                .frame());
    }

    private static LoadSample measure(
            BenchStage stage, Way way, List<RequestFrame> requests, int offered, int round, BenchOptions options)
            throws IOException {
        long byRdma = stage.requestsByRdma(way);
        ProcessUse broker = stage.brokerUse();
        ProcessUse proxy = stage.proxyUse(way);
        LoadRun run = new LoadRun(
                        Schedule.constant(offered),
                        warmupNs(options),
                        measureNs(options),
                        MOST_TIMES * (warmupNs(options) + measureNs(options)))
                .run(stage.address(way), requests, MOST_IN_FLIGHT);
        return new LoadSample(
                way,
                offered,
                round,
                run.answersAfterWarmup(),
                run.elapsedNs(),
                run.latencies(),
                stage.brokerUse().since(broker),
                stage.proxyUse(way).since(proxy),
                stage.requestsByRdma(way) - byRdma,
                run.answers());
    }

    private static List<Plot> plots(List<Result> results) {
        return List.of(
                curve("load-p99", Metric.P99, "p99, µs", results),
                curve("load-median", Metric.MEDIAN, "median, µs", results));
    }

    private static Plot curve(String name, Metric metric, String y, List<Result> results) {
        return Plot.curve(
                name,
                "Produce 1 KiB by a schedule",
                Subject.OFFERED,
                Metric.RATE,
                Axis.logarithmic("answers per second"),
                metric,
                Axis.logarithmic(y),
                results);
    }
}
