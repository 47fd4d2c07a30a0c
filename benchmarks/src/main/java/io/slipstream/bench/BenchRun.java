package io.slipstream.bench;

import io.slipstream.harness.BrokerLine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of a run, and the run from start to report. */
final class BenchRun {
    private static final int FAILED = 1;
    /** Below this share the column headed RDMA would not be about RDMA. */
    private static final double LEAST_RDMA_SHARE = 0.99;

    private static final List<String> PLACING = List.of("segment", "shared");

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(names = "--json", description = "also write the result to this file")
    private Path json;

    @Option(names = "--rounds", description = "rounds over all workloads and ways")
    private int rounds = 5;

    @Option(names = "--measure-ms", description = "length of one measurement")
    private int measureMs = 1_000;

    @Option(names = "--warmup-ms", description = "length of the first warm-up of each workload on each way")
    private int warmupMs = 3_000;

    @Option(
            names = "--ways",
            split = ",",
            description = "only these (DIRECT is always measured): ${COMPLETION-CANDIDATES}")
    private Set<Way> ways = EnumSet.allOf(Way.class);

    @Option(
            names = "--landing",
            description =
                    "segment or shared: slipstream.landing of the broker, and a second proxy that places batches so; RDMA%% then means placed")
    private String landing;

    @Option(names = "--broker", description = "broker line: 4.3 or 4.4")
    private String broker = BrokerLine.NEWEST.number();

    @Option(
            names = "--awake",
            description = "keep processors from halting, which costs a virtual machine more than a round trip")
    private boolean awake;

    @Option(names = "--scan-mib", description = "size of the log that is scanned")
    private int scanMib = 2_048;

    /** Measures, prints, writes; returns the exit status. Throws ParameterException on options that make no sense. */
    int measure(Set<Workload> workloads) throws Exception {
        if (rounds < 1 || measureMs < 1 || warmupMs < 1 || scanMib < 1) {
            throw new ParameterException(
                    command.commandLine(), "--rounds, --measure-ms, --warmup-ms and --scan-mib must be positive");
        }
        BrokerLine line = BrokerLine.of(broker);
        EnumSet<Way> measured = EnumSet.copyOf(ways);
        measured.add(Way.DIRECT);
        if (landing == null) {
            measured.remove(Way.PROXY_PLACED);
        } else if (!PLACING.contains(landing)) {
            throw new ParameterException(command.commandLine(), "--landing " + landing + " is none of " + PLACING);
        }
        System.out.println("starting a broker and the proxies");
        List<Sample> samples;
        var machine = Machine.describe(line);
        try (AwakeProcessors loops =
                        AwakeProcessors.start(awake ? Runtime.getRuntime().availableProcessors() : 0);
                BenchStage stage = BenchStage.start(measured, workloads, line, landing, (long) scanMib << 20)) {
            machine.put("kept awake", loops.count() + " processors");
            System.out.println("broker pid " + stage.brokerPid());
            Bench.Pace pace = new Bench.Pace(
                    rounds,
                    TimeUnit.MILLISECONDS.toNanos(warmupMs),
                    TimeUnit.MILLISECONDS.toNanos(Math.max(1, measureMs / 5)),
                    TimeUnit.MILLISECONDS.toNanos(measureMs));
            samples = new Bench(stage, workloads, pace, System.out).run();
        }
        List<Summary> summaries = summarize(samples, workloads, measured);
        Report report = new Report(machine, summaries, scans(samples, workloads, measured), rounds);
        report.print(System.out);
        if (json != null) {
            report.write(json);
        }
        return verdict(summaries);
    }

    private static List<Summary> summarize(List<Sample> samples, Set<Workload> workloads, Set<Way> measured) {
        List<Summary> summaries = new ArrayList<>();
        for (Workload workload : workloads) {
            for (Way way : measured) {
                summaries.add(Summary.of(workload, way, samples));
            }
        }
        return summaries;
    }

    private static List<ScanSummary> scans(List<Sample> samples, Set<Workload> workloads, Set<Way> measured) {
        List<ScanSummary> scans = new ArrayList<>();
        for (Workload workload : workloads) {
            if (workload.kind() == Workload.Kind.SCAN) {
                measured.forEach(way -> scans.add(ScanSummary.of(workload, way, samples)));
            }
        }
        return scans;
    }

    private static int verdict(List<Summary> summaries) {
        int status = 0;
        for (Summary summary : summaries) {
            if (summary.way().isRdma() && summary.rdmaShare() < LEAST_RDMA_SHARE) {
                System.err.printf(
                        "slipstream bench: only %.1f %% of '%s' went as '%s' says%n",
                        summary.rdmaShare() * 100,
                        summary.workload().label(),
                        summary.way().label());
                status = FAILED;
            }
        }
        return status;
    }
}
