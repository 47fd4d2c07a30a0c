// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.IdleOptions.Plan;
import io.slipstream.bench.report.Figure;
import io.slipstream.bench.report.Metric;
import io.slipstream.bench.report.Plot;
import io.slipstream.bench.report.Plot.Axis;
import io.slipstream.bench.report.Result;
import io.slipstream.bench.report.Subject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** The cost of waiting consumers and the delay of a record to them, by their number. */
final class IdleSuite implements Suite {
    static final int SEED = 1;

    private static final double LEAST_RDMA_SHARE = 0.99;
    /** Starts; settling and connecting of a case; a record with its pause. */
    private static final long START_MS = 20_000;

    private static final long AROUND_MS = 3_500;
    private static final long RECORD_MS = 20;

    @Override
    public String name() {
        return "idle";
    }

    @Override
    public String sentence() {
        return "consumers that wait at the ends of 100 partitions: CPU time by their number, and the delay of a record to them";
    }

    @Override
    public List<String> workloads(BenchOptions options) {
        return options.isQuick()
                ? List.of()
                : plan(options).consumers().stream().map(IdleSuite::workload).toList();
    }

    static String workload(int consumers) {
        return "IDLE_" + consumers;
    }

    private Plan plan(BenchOptions options) {
        return options.idle().plan(options, options.isNamed(this));
    }

    @Override
    public void check(BenchOptions options) {
        options.idle().check(options);
    }

    @Override
    public int rounds(BenchOptions options) {
        return plan(options).rounds();
    }

    @Override
    public long estimateMs(BenchOptions options) {
        Plan plan = plan(options);
        long recordsMs = plan.records() * RECORD_MS;
        int ways = cases(options).size() - 1;
        long caseMs = AROUND_MS + TimeUnit.SECONDS.toMillis(plan.seconds()) + recordsMs;
        return START_MS
                + ways * (TimeUnit.SECONDS.toMillis(plan.warmupSeconds()) + recordsMs)
                + plan.rounds() * caseMs * (1 + (long) ways * plan.consumers().size());
    }

    private static Set<IdleCase> cases(BenchOptions options) {
        EnumSet<IdleCase> cases = EnumSet.noneOf(IdleCase.class);
        for (IdleCase each : IdleCase.values()) {
            if (each == IdleCase.NOBODY || options.ways().contains(each.way())) {
                cases.add(each);
            }
        }
        return cases;
    }

    @Override
    public SuiteResult run(Session session) throws Exception {
        BenchOptions options = session.options();
        Plan plan = plan(options);
        List<Integer> counts = plan.consumers().stream()
                .filter(count -> options.measures(this, workload(count)))
                .toList();
        session.endStage();
        session.progress().say(0, "starting a broker and the proxies");
        List<IdleSample> samples;
        try (IdleStage stage = IdleStage.start(cases(options), plan.mostConsumers(), plan.partitions(), options)) {
            samples = new IdleBench(stage, plan, counts, List.copyOf(cases(options)), session.progress()).run();
        }
        return result(counts, samples);
    }

    private SuiteResult result(List<Integer> counts, List<IdleSample> samples) throws IOException {
        List<Result> results = new ArrayList<>();
        results.add(IdleSummary.of(name(), 0, IdleCase.NOBODY, samples));
        List<String> problems = new ArrayList<>();
        for (int count : counts) {
            for (IdleCase each : IdleCase.values()) {
                if (IdleSummary.isMeasured(count, each, samples)) {
                    Result result = IdleSummary.of(name(), count, each, samples);
                    results.add(result);
                    Figure share = result.figure(Metric.RDMA_SHARE);
                    if (share != null && share.value() < LEAST_RDMA_SHARE) {
                        problems.add(String.format(
                                "only %.1f %% of the polls of %d consumers went by RDMA", share.value() * 100, count));
                    }
                }
            }
        }
        return new SuiteResult(results, plots(results), problems);
    }

    private static List<Plot> plots(List<Result> results) {
        Axis consumers = Axis.logarithmic("waiting consumers");
        return List.of(
                Plot.over(
                        "consumers-broker",
                        "Consumers that wait",
                        Subject.CONSUMERS,
                        consumers,
                        Metric.BROKER_USE,
                        Axis.linear("broker, CPUs"),
                        results),
                Plot.over(
                        "consumers-wake-up",
                        "Consumers that wait",
                        Subject.CONSUMERS,
                        consumers,
                        Metric.FIRST_MEDIAN,
                        Axis.logarithmic("median delay to the first consumer, µs"),
                        results));
    }
}
