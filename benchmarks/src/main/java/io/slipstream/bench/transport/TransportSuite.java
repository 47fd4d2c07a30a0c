// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.transport;

import io.slipstream.bench.BenchOptions;
import io.slipstream.bench.Session;
import io.slipstream.bench.Suite;
import io.slipstream.bench.SuiteResult;
import io.slipstream.bench.report.Figure;
import io.slipstream.bench.report.Metric;
import io.slipstream.bench.report.Result;
import io.slipstream.bench.report.Side;
import io.slipstream.bench.report.Subject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.ToDoubleFunction;

/**
 * Single operations of a provider: the lower bound of everything by RDMA, measured with {@code --quick}, too. With an
 * RDMA device next to perftest. An RDMA device is the default when requested by name, else shared memory.
 */
public final class TransportSuite implements Suite {
    public static final String NAME = "transport";

    private static final Side OURS = new Side("OURS", "ours");
    private static final Side PERFTEST = new Side("PERFTEST", "perftest");
    private static final int ALONE_ROUNDS = 9;
    private static final int ROUNDS = 3;
    private static final long START_MS = 3_000;
    /** Time of one experiment with its warm-up, and of perftest's start. */
    private static final long SHM_MS = 20;

    private static final long VERBS_MS = 1_500;

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String sentence() {
        return "single RDMA operations between two processes, next to perftest on an RDMA device; writes are half a round trip";
    }

    @Override
    public List<String> workloads(BenchOptions options) {
        return Arrays.stream(Experiment.values()).map(Experiment::name).toList();
    }

    @Override
    public void check(BenchOptions options) {
        options.require(
                options.transport().iterations() >= TransportBench.WARM_UP,
                "--iterations must be at least " + TransportBench.WARM_UP);
    }

    @Override
    public String provider(BenchOptions options) {
        return options.provider(options.isNamed(this) ? "verbs" : "shm");
    }

    @Override
    public int rounds(BenchOptions options) {
        return options.rounds(options.isNamed(this) ? ALONE_ROUNDS : ROUNDS);
    }

    @Override
    public long estimateMs(BenchOptions options) {
        long experimentMs = provider(options).equals("shm") ? SHM_MS : VERBS_MS;
        return START_MS + (long) (1 + rounds(options)) * Experiment.values().length * experimentMs;
    }

    @Override
    public SuiteResult run(Session session) throws Exception {
        BenchOptions options = session.options();
        session.endStage();
        TransportBench bench = new TransportBench(
                provider(options),
                options.transport().device(),
                rounds(options),
                options.transport().iterations(),
                session.progress());
        // The suite pins its thread to a CPU, so it uses a thread of its own.
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            List<Result> results = new ArrayList<>();
            for (Comparison comparison : thread.submit(bench::run).get()) {
                if (options.measures(this, comparison.experiment().name())) {
                    add(results, comparison);
                }
            }
            return new SuiteResult(results, List.of(), List.of());
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } finally {
            thread.shutdownNow();
        }
    }

    private void add(List<Result> results, Comparison comparison) {
        Experiment experiment = comparison.experiment();
        Subject subject = new Subject(name(), experiment.name(), experiment.label(), Map.of(Subject.RECORD_BYTES, (long)
                experiment.sizeBytes()));
        Map<Metric, Figure> ours = figures(comparison.ours());
        results.add(new Result(subject, OURS, ours));
        if (comparison.isComplete()) {
            ours.put(Metric.RATIO, Figure.ofRounds(comparison.ratios()));
            results.add(new Result(subject, PERFTEST, figures(comparison.perftest())));
        }
    }

    private static Map<Metric, Figure> figures(List<Latency> rounds) {
        Map<Metric, Figure> figures = new EnumMap<>(Metric.class);
        figures.put(Metric.MEDIAN, figure(rounds, Latency::p50Us));
        figures.put(Metric.P99, figure(rounds, Latency::p99Us));
        return figures;
    }

    private static Figure figure(List<Latency> rounds, ToDoubleFunction<Latency> value) {
        return Figure.ofRounds(rounds.stream().mapToDouble(value).toArray());
    }
}
