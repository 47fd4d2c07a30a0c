// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.report.Result;
import java.util.List;

/**
 * The latency of a record that three brokers must have before its acknowledgement, with followers that fetch over TCP
 * and with followers that fetch by RDMA.
 */
final class ReplicationSuite implements Suite {
    /** Brokers and two proxies start on few CPUs. */
    private static final long START_MS = 20_000;

    /** Followers by RDMA are measured by name only. */
    private List<Workload> of(BenchOptions options) {
        return options.isNamed(this)
                ? List.of(Workload.PRODUCE_RF3, Workload.PRODUCE_RF3_RDMA)
                : List.of(Workload.PRODUCE_RF3);
    }

    @Override
    public String name() {
        return "replication";
    }

    @Override
    public String sentence() {
        return "produce with replication factor 3, acks=all, min.insync.replicas=2; two followers of one leader fetch over TCP, and two by RDMA; CPU time is that of all brokers";
    }

    @Override
    public List<String> workloads(BenchOptions options) {
        return of(options).stream().map(Workload::name).toList();
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
        Bench.Pace pace = Effort.CLUSTER.pace(options);
        return START_MS
                + pace.estimateMs(of(options), options.judgedWays())
                + ProfiledRun.estimateMs(
                        options, of(options).size(), options.judgedWays().size());
    }

    @Override
    public SuiteResult run(Session session) throws Exception {
        session.endStage();
        session.progress().say(0, "starting the brokers and the proxies");
        List<Workload> workloads = of(session.options());
        try (ReplicationStage stage = ReplicationStage.start(session.options(), workloads)) {
            session.progress().say(0, "broker pids " + stage.brokerPids());
            Bench.Pace pace = Effort.CLUSTER.pace(session.options());
            List<Sample> samples = new Bench(stage, workloads, pace, session.progress()).run();
            session.profile(this, stage, workloads, pace);
            List<Result> results = Summary.all(name(), workloads, stage.ways(), samples);
            return new SuiteResult(results, List.of(), WorkloadSuite.problems(results, workloads));
        }
    }
}
