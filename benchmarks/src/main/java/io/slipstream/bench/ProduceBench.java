package io.slipstream.bench;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./slipstream bench produce}: un-batched Produce requests to one partition, one by one and many in flight, of several sizes. */
@Command(name = "produce")
public final class ProduceBench implements Callable<Integer> {
    @Option(names = "--workloads", split = ",", description = "only these: ${COMPLETION-CANDIDATES}")
    private Set<Workload> workloads = EnumSet.range(Workload.PRODUCE_1K, Workload.PRODUCE_100K_PIPELINED);

    @Mixin
    private BenchRun run;

    @Override
    public Integer call() throws Exception {
        return run.measure(workloads);
    }
}
