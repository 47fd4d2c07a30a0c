package io.slipstream.bench;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./slipstream bench fetch}: empty fetches, fetches of one batch, and scans of a large log by one and several consumers. */
@Command(name = "fetch")
public final class FetchBench implements Callable<Integer> {
    @Option(names = "--workloads", split = ",", description = "only these: ${COMPLETION-CANDIDATES}")
    private Set<Workload> workloads = EnumSet.of(
            Workload.EMPTY_FETCH,
            Workload.FETCH_1K,
            Workload.FETCH_16K,
            Workload.EMPTY_FETCH_PIPELINED,
            Workload.EMPTY_FETCH_CONNECTIONS,
            Workload.SCAN,
            Workload.SCAN_4,
            Workload.SCAN_4_IN_STEP);

    @Mixin
    private BenchRun run;

    @Override
    public Integer call() throws Exception {
        return run.measure(workloads);
    }
}
