// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.report.Result;
import java.util.List;

/** The latency of a record that two of three brokers must have before its acknowledgement. */
final class ReplicationSuite implements Suite {
    /** Three brokers and two proxies start on few CPUs. */
    private static final long START_MS = 20_000;

    private static final List<Workload> WORKLOADS = List.of(Workload.PRODUCE_RF3);

    @Override
    public String name() {
        return "replication";
    }

    @Override
    public String sentence() {
        return "produce to three brokers, replication factor 3, acks=all, min.insync.replicas=2; CPU time is that of all brokers";
    }

    @Override
    public List<String> workloads(BenchOptions options) {
        return WORKLOADS.stream().map(Workload::name).toList();
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
                + pace.estimateMs(WORKLOADS, options.judgedWays())
                + ProfiledRun.estimateMs(
                        options, WORKLOADS.size(), options.judgedWays().size());
    }

    @Override
    public SuiteResult run(Session session) throws Exception {
        session.endStage();
        session.progress().say(0, "starting three brokers and the proxies");
        try (ReplicationStage stage = ReplicationStage.start(session.options())) {
            session.progress().say(0, "broker pids " + stage.brokerPids());
            Bench.Pace pace = Effort.CLUSTER.pace(session.options());
            List<Sample> samples = new Bench(stage, WORKLOADS, pace, session.progress()).run();
            session.profile(this, stage, WORKLOADS, pace);
            List<Result> results = Summary.all(name(), WORKLOADS, stage.ways(), samples);
            return new SuiteResult(results, List.of(), WorkloadSuite.problems(results, WORKLOADS));
        }
    }
}
