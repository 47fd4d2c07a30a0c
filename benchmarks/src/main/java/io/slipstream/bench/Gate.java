// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.gate.Comparison;
import io.slipstream.bench.gate.GateReport;
import io.slipstream.bench.source.Commit;
import io.slipstream.bench.source.Git;
import io.slipstream.bench.source.Jars;
import io.slipstream.bench.source.ParentBuild;
import io.slipstream.process.Checkout;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * {@code ./slipstream bench --gate}: compares the checkout with its parent commit. Both builds run at the same time,
 * each with its own broker, and are measured in turn on each workload: parent, commit, commit, parent, and so on. A
 * figure that is slower in one set of processes is measured again in another, and fails only if it is slower there too.
 */
final class Gate {
    static final List<Workload> WORKLOADS =
            List.of(Workload.PRODUCE, Workload.FETCH, Workload.END_TO_END, Workload.PRODUCE_64K_PIPELINED);
    /** The 99 % interval of their median leaves out the most extreme pair on each side. */
    static final int ROUNDS = 12;

    private static final int WARMUP_MS = 1_500;
    private static final int MEASURE_MS = 250;
    private static final double LEAST_RDMA_SHARE = 0.99;
    private static final int FAILED = 3;
    private static final int PARENT = 0;
    private static final int COMMIT = 1;

    private final BenchOptions options;
    private final Bench.Pace pace;

    Gate(BenchOptions options) {
        this.options = options;
        int measureMs = options.measureMs(MEASURE_MS);
        pace = new Bench.Pace(
                options.rounds(ROUNDS),
                TimeUnit.MILLISECONDS.toNanos(options.warmupMs(WARMUP_MS)),
                TimeUnit.MILLISECONDS.toNanos(Math.max(1, measureMs / 5)),
                TimeUnit.MILLISECONDS.toNanos(measureMs));
    }

    /** Returns the exit status: 0 if no figure is slower beyond noise, else 3. */
    int run() throws IOException {
        ParentBuild builds = new ParentBuild(Checkout.root());
        Optional<String> found = builds.find(options.parent());
        if (found.isEmpty()) {
            System.out.println(
                    "gate: skipped, no parent commit is here; a shallow clone gets it by: git fetch --deepen 1");
            return 0;
        }
        String parent = found.get();
        if (!builds.isChangedSince(parent)) {
            System.out.println("gate: skipped, production code is that of " + parent);
            return 0;
        }
        if (!builds.isKept(parent)) {
            System.out.println("gate: building " + parent + " …");
        }
        Optional<Jars> built = builds.jars(parent);
        if (built.isEmpty()) {
            System.out.println("gate: skipped, the parent does not build; see " + builds.log());
            return 0;
        }
        Jars[] jars = {built.get(), Jars.ofCheckout()};
        Commit commit = Commit.of(new Git(Checkout.root()));
        System.out.println("gate: " + commit + " against " + parent);
        List<List<Comparison>> sets = new ArrayList<>(List.of(measure(jars, PARENT)));
        if (GateReport.isSuspicious(sets.get(0))) {
            System.out.println("gate: once more, with other processes");
            sets.add(measure(jars, COMMIT));
        }
        GateReport report = new GateReport(commit, parent, sets);
        System.out.print(report.text());
        if (options.json() != null) {
            report.write(options.json());
        }
        builds.keep(commit, parent);
        return report.slower().isEmpty() ? 0 : FAILED;
    }

    /** @param first the build whose processes start first */
    private List<Comparison> measure(Jars[] jars, int first) throws IOException {
        try (BenchStage one = BenchStage.start(options, jars[first]);
                BenchStage other = BenchStage.start(options, jars[1 - first])) {
            BenchStage[] stages = first == PARENT ? new BenchStage[] {one, other} : new BenchStage[] {other, one};
            Bench[] benches = new Bench[2];
            for (int side = PARENT; side <= COMMIT; side++) {
                stages[side].prepare(WORKLOADS);
                benches[side] = new Bench(stages[side], WORKLOADS, pace, null);
                for (Workload workload : WORKLOADS) {
                    benches[side].warmUp(workload, Way.PROXY_RDMA);
                }
            }
            List<Comparison> comparisons = new ArrayList<>();
            List<Sample[]> pairs = pairs(benches);
            for (Workload workload : WORKLOADS) {
                List<Sample[]> own = pairs.stream()
                        .filter(pair -> pair[PARENT].workload() == workload)
                        .toList();
                comparisons.addAll(compare(workload, own));
            }
            return comparisons;
        }
    }

    private List<Sample[]> pairs(Bench[] benches) throws IOException {
        List<Sample[]> pairs = new ArrayList<>();
        for (int round = 0; round < pace.rounds(); round++) {
            for (Workload workload : WORKLOADS) {
                Sample[] pair = new Sample[2];
                for (int turn = 0; turn < 2; turn++) {
                    int side = (turn + round) % 2;
                    pair[side] = benches[side].measure(workload, Way.PROXY_RDMA, round, 0);
                }
                pairs.add(pair);
            }
        }
        return pairs;
    }

    /** @throws IllegalStateException if requests of a side took another path than RDMA */
    static List<Comparison> compare(Workload workload, List<Sample[]> pairs) {
        requireRdma(workload, "the parent", pairs, PARENT);
        requireRdma(workload, "the commit", pairs, COMMIT);
        String time = workload.label() + (workload.isThroughput() ? ", us per request" : ", p50 us");
        return List.of(
                Comparison.of(time, values(pairs, Sample::costUs)),
                Comparison.of(workload.label() + ", CPU us", values(pairs, Sample::processorUsPerOperation)));
    }

    private static void requireRdma(Workload workload, String name, List<Sample[]> pairs, int side) {
        double byRdma = 0;
        double requests = 0;
        for (Sample[] pair : pairs) {
            byRdma += pair[side].requestsByRdma();
            requests += pair[side].measurement().operations() * workload.requests();
        }
        if (byRdma / requests < LEAST_RDMA_SHARE) {
            throw new IllegalStateException(String.format(
                    "only %.1f %% of the requests of '%s' of %s went by RDMA",
                    byRdma / requests * 100, workload.label(), name));
        }
    }

    private static double[][] values(List<Sample[]> pairs, ToDoubleFunction<Sample> value) {
        return pairs.stream()
                .map(pair -> new double[] {value.applyAsDouble(pair[PARENT]), value.applyAsDouble(pair[COMMIT])})
                .toArray(double[][]::new);
    }
}
