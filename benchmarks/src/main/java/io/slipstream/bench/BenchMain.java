package io.slipstream.bench;

import io.slipstream.bench.transport.TransportBench;
import io.slipstream.harness.StartFailure;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code ./slipstream bench}: the round trips of {@code --quick}. {@link ProduceBench}, {@link FetchBench}, {@link IdleBench} and {@link TransportBench} are commands of their own below it.
 */
@Command(
        name = "bench",
        subcommands = {ProduceBench.class, FetchBench.class, IdleBench.class, TransportBench.class})
public final class BenchMain implements Callable<Integer> {
    private static final int FAILED = 1;

    @Option(names = "--quick", description = "round trips of all kinds, under five minutes; the default")
    private boolean quick;

    @Option(names = "--workloads", split = ",", description = "only these: ${COMPLETION-CANDIDATES}")
    private Set<Workload> workloads = EnumSet.range(Workload.PRODUCE, Workload.EMPTY_FETCH_PIPELINED);

    @Mixin
    private BenchRun run;

    public static void main(String[] args) {
        CommandLine commandLine = new CommandLine(new BenchMain())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler((exception, arguments) -> {
                    System.err.println(
                            "slipstream bench: " + exception.getMessage() + "\nSee ./slipstream bench --help");
                    return CommandLine.ExitCode.USAGE;
                })
                .setExecutionExceptionHandler((exception, command, result) -> {
                    System.err.println("slipstream bench: "
                            + (exception instanceof StartFailure ? exception.getMessage() : exception.toString()));
                    return FAILED;
                });
        System.exit(commandLine.execute(args));
    }

    @Override
    public Integer call() throws Exception {
        return run.measure(workloads);
    }
}
