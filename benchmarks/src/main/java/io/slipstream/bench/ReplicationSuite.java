// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.report.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Records that three brokers must have before their acknowledgement. By name also with followers that fetch by RDMA,
 * with many records in flight, and from end to end, and brokers without traffic.
 */
final class ReplicationSuite implements Suite {
    /** Brokers and two proxies start on few CPUs. */
    private static final long START_MS = 20_000;

    private static final List<Workload> NAMED = List.of(
            Workload.PRODUCE_RF3,
            Workload.PRODUCE_RF3_1K_PIPELINED,
            Workload.PRODUCE_RF3_64K_PIPELINED,
            Workload.END_TO_END_RF3);

    private List<Workload> of(BenchOptions options) {
        return options.isNamed(this) ? NAMED : List.of(Workload.PRODUCE_RF3);
    }

    private List<Workload> chosen(BenchOptions options) {
        return of(options).stream()
                .filter(each -> options.measures(this, each.name()))
                .toList();
    }

    private Set<Way> ways(BenchOptions options) {
        return options.replicatedWays(options.isNamed(this));
    }

    @Override
    public String name() {
        return "replication";
    }

    @Override
    public String sentence() {
        return "produce with replication factor 3, acks=all, min.insync.replicas=2; CPU time is that of all brokers";
    }

    @Override
    public List<String> workloads(BenchOptions options) {
        List<String> names =
                new ArrayList<>(of(options).stream().map(Workload::name).toList());
        if (ways(options).contains(Way.FOLLOWERS)) {
            names.add(IdleFollowers.WORKLOAD);
        }
        return names;
    }

    @Override
    public int rounds(BenchOptions options) {
        return Effort.rounds(options);
    }

    @Override
    public boolean isProfiled() {
        return true;
    }

    @Override
    public long estimateMs(BenchOptions options) {
        List<Workload> chosen = chosen(options);
        Set<Way> ways = ways(options);
        long measuredMs = chosen.isEmpty()
                ? 0
                : START_MS
                        + Effort.CLUSTER.pace(options).estimateMs(chosen, ways)
                        + ProfiledRun.estimateMs(options, chosen.size(), ways.size());
        return measuredMs + (measuresIdle(options) ? IdleFollowers.estimateMs(rounds(options)) : 0);
    }

    private boolean measuresIdle(BenchOptions options) {
        return options.measures(this, IdleFollowers.WORKLOAD);
    }

    @Override
    public SuiteResult run(Session session) throws Exception {
        session.endStage();
        BenchOptions options = session.options();
        List<Result> results = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        if (!chosen(options).isEmpty()) {
            measure(session, results, problems);
        }
        if (measuresIdle(options)) {
            results.addAll(IdleFollowers.measure(options, name(), rounds(options), session.progress()));
        }
        return new SuiteResult(results, List.of(), problems);
    }

    private void measure(Session session, List<Result> results, List<String> problems) throws Exception {
        session.progress().say(0, "starting the brokers and the proxies");
        List<Workload> workloads = chosen(session.options());
        try (ReplicationStage stage = ReplicationStage.start(session.options(), ways(session.options()), workloads)) {
            session.progress().say(0, "broker pids " + stage.brokerPids());
            Bench.Pace pace = Effort.CLUSTER.pace(session.options());
            List<Sample> samples = new Bench(stage, workloads, pace, session.progress()).run();
            session.profile(this, stage, workloads, pace);
            results.addAll(Summary.all(name(), workloads, stage.ways(), samples));
            problems.addAll(WorkloadSuite.problems(results, workloads));
            String problem = stage.followersProblem();
            if (problem != null) {
                problems.add(problem);
            }
        }
    }
}
