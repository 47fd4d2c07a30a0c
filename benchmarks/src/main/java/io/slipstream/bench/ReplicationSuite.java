package io.slipstream.bench;

import io.slipstream.bench.report.Result;
import java.util.List;

/** What a record takes that two of three brokers must hold before it is acknowledged. */
final class ReplicationSuite implements Suite {
    /** Three brokers and two proxies on few processors. */
    private static final long START_MS = 20_000;

    private static final List<Workload> WORKLOADS = List.of(Workload.PRODUCE_RF3);

    @Override
    public String name() {
        return "replication";
    }

    @Override
    public String sentence() {
        return "produce to three brokers, replication factor 3, acks=all, min.insync.replicas=2; processor time is that of all brokers";
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
    public long estimateMs(BenchOptions options) {
        return START_MS + Effort.CLUSTER.pace(options).estimateMs(WORKLOADS, options.servedWays());
    }

    @Override
    public SuiteResult run(Session session) throws Exception {
        session.endStage();
        session.progress().say(0, "starting three brokers and the proxies");
        try (ReplicationStage stage = ReplicationStage.start(session.options())) {
            session.progress().say(0, "broker pids " + stage.brokerPids());
            List<Sample> samples =
                    new Bench(stage, WORKLOADS, Effort.CLUSTER.pace(session.options()), session.progress()).run();
            List<Result> results = Summary.all(name(), WORKLOADS, stage.ways(), samples);
            return new SuiteResult(results, List.of(), WorkloadSuite.problems(results, WORKLOADS));
        }
    }
}
