// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.report.Targets;
import io.slipstream.bench.transport.TransportOptions;
import io.slipstream.process.BrokerLine;
import io.slipstream.process.Checkout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** All options of a run. Options of one suite have no effect on others. */
public final class BenchOptions {
    private static final List<String> LINES =
            Arrays.stream(BrokerLine.values()).map(BrokerLine::number).toList();
    private static final List<String> PROVIDERS = List.of("shm", "verbs");

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Parameters(arity = "0..*", paramLabel = "SUITE", description = "suites to run; all by default")
    private List<String> suites = new ArrayList<>();

    @Option(names = "--quick", description = "only the workloads of the table of targets")
    private boolean quick;

    @Option(names = "--targets", description = "only the workloads of all targets, also those of suites by name")
    private boolean targets;

    @Option(names = "--workloads", split = ",", description = "only these workloads, by id")
    private List<String> workloads = new ArrayList<>();

    @Option(
            names = "--gate",
            description =
                    "compare the checkout with its parent commit on four workloads; fails if it is slower beyond noise")
    private boolean gate;

    @Option(names = "--parent", description = "with --gate: compare with this commit instead")
    private String parent;

    @Option(names = "--json", description = "also write the results to this JSON file")
    private Path json;

    @Option(names = "--report", description = "also write report.md, plots and results.json to this directory")
    private Path report;

    @Option(
            names = "--record",
            description = "replace the figures in README.md, docs/benchmarks.md and, in a full run, full-run.md")
    private boolean record;

    @Option(
            names = "--profile",
            description =
                    "after the rounds, profile broker and proxy: flame graphs, stacks and summary.md in this directory")
    private Path profile;

    @Option(names = "--profile-ms", description = "length of a profiled measurement")
    private int profileMs = 5_000;

    @Option(names = "--rounds", description = "rounds over all workloads and ways; each suite has its own default")
    private Integer rounds;

    @Option(names = "--provider", description = "shm or verbs")
    private String provider;

    @Option(names = "--measure-ms", description = "length of one measurement")
    private Integer measureMs;

    @Option(names = "--warmup-ms", description = "length of the first warm-up of each workload on each way")
    private Integer warmupMs;

    @Option(
            names = "--ways",
            split = ",",
            description = "only these ways (DIRECT is always measured): ${COMPLETION-CANDIDATES}")
    private Set<Way> ways = EnumSet.allOf(Way.class);

    @Option(names = "--broker", description = "broker line: 4.3 or 4.4")
    private String broker = BrokerLine.NEWEST.number();

    @Option(
            names = "--brokers",
            description =
                    "of stock-tools and jobs: 1 or 3, each with a replica of all topics; followers fetch as clients do")
    private int brokers = 1;

    @Option(
            names = "--awake",
            description = "keep the CPUs from halting, which in a virtual machine costs more than a round trip")
    private boolean awake;

    @Option(names = "--scan-mib", description = "largest size of a log for scans")
    private int scanMib = 2_048;

    @Option(names = "--tool-records", description = "records per run of a stock tool")
    private Integer toolRecords;

    @Mixin
    private LoadOptions load;

    @Mixin
    private IdleOptions idle;

    @Mixin
    private TransportOptions transport;

    /** @throws ParameterException on contradictory options and unknown names */
    void check() {
        require(rounds == null || rounds > 0, "--rounds must be positive");
        require(measureMs == null || measureMs > 0, "--measure-ms must be positive");
        require(warmupMs == null || warmupMs > 0, "--warmup-ms must be positive");
        require(
                !record || suites.isEmpty() && workloads.isEmpty(),
                "--record needs all suites: no SUITE, no --workloads");
        if (targets) {
            require(
                    suites.isEmpty() && workloads.isEmpty() && !quick,
                    "--targets has its own workloads: no SUITE, no --workloads, no --quick");
            suites = Suites.ofTargets();
            workloads = Targets.all()
                    .filter(each -> suites().stream()
                            .anyMatch(suite -> suite.workloads(this).contains(each)))
                    .toList();
        }
        require(scanMib > 0, "--scan-mib must be positive");
        require(toolRecords == null || toolRecords >= 3, "--tool-records must be 3 or more");
        require(LINES.contains(broker), "--broker " + broker + " is not one of " + LINES);
        require(
                provider == null || PROVIDERS.contains(provider),
                "--provider " + provider + " is not one of " + PROVIDERS);
        List<Suite> chosen = suites();
        for (String workload : workloads) {
            require(
                    chosen.stream().anyMatch(suite -> suite.workloads(this).contains(workload)),
                    "unknown workload " + workload + " in "
                            + chosen.stream().map(Suite::name).toList() + (quick ? " with --quick" : ""));
        }
        require(parent == null || gate, "--parent needs --gate");
        require(
                !gate
                        || suites.isEmpty()
                                && workloads.isEmpty()
                                && !quick
                                && !record
                                && report == null
                                && profile == null,
                "--gate has its own workloads and report");
        require(profileMs > 0, "--profile-ms must be positive");
        require(
                profile == null || !Files.exists(profile) || Files.isDirectory(profile),
                "--profile " + profile + " is not a directory");
        require(
                profile == null || chosen.stream().anyMatch(Suite::isProfiled),
                "--profile is not supported by "
                        + chosen.stream().map(Suite::name).toList());
        require(
                brokers == 1 || brokers == 3 && chosen.stream().allMatch(ToolSuite.class::isInstance) && !isVerbs(),
                "--brokers must be 1, or 3 with stock-tools or jobs on shm");
        chosen.forEach(suite -> suite.check(this));
    }

    /** @throws ParameterException with the complaint for the user, unless {@code sensible} */
    public void require(boolean sensible, String complaint) {
        if (!sensible) {
            throw new ParameterException(command.commandLine(), complaint);
        }
    }

    /** Returns the suites to run, in order. */
    List<Suite> suites() {
        try {
            return Suites.named(suites);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(command.commandLine(), e.getMessage(), e);
        }
    }

    /** Returns the command-line arguments, without machine-specific names. */
    String arguments() {
        return String.join(" ", command.commandLine().getParseResult().originalArgs());
    }

    /** Returns where the run is recorded; null if nowhere. */
    RunRecording recordedRun() {
        return record
                ? RunRecording.begin(Checkout.root(), "./slipstream bench " + arguments(), !quick && !targets)
                : null;
    }

    /** Returns whether the suite was requested by name. */
    public boolean isNamed(Suite suite) {
        return suites.contains(suite.name());
    }

    /** Returns whether the workload is requested and no earlier suite includes it: a workload is measured once. */
    public boolean measures(Suite suite, String workload) {
        return (workloads.isEmpty() || workloads.contains(workload))
                && suites().stream()
                        .filter(each -> each.workloads(this).contains(workload))
                        .findFirst()
                        .filter(first -> first == suite)
                        .isPresent();
    }

    public boolean isQuick() {
        return quick;
    }

    /** @param usual the default */
    public int rounds(int usual) {
        return rounds == null ? usual : rounds;
    }

    int measureMs(int usual) {
        return measureMs == null ? usual : measureMs;
    }

    int warmupMs(int usual) {
        return warmupMs == null ? usual : warmupMs;
    }

    /** @param usual the default */
    public String provider(String usual) {
        return provider == null ? usual : provider;
    }

    boolean isVerbs() {
        return "verbs".equals(provider);
    }

    /** Returns the ways to measure, always including the direct one. */
    Set<Way> ways() {
        EnumSet<Way> measured = EnumSet.copyOf(ways);
        measured.add(Way.DIRECT);
        measured.removeIf(Way::hasRdmaFollowers);
        return measured;
    }

    /** Returns the ways that lead to a broker. */
    Set<Way> servedWays() {
        EnumSet<Way> served = EnumSet.of(Way.DIRECT, Way.PROXY_TCP, Way.PROXY_RDMA);
        served.retainAll(ways());
        return served;
    }

    /**
     * Returns the ways for long suites. No target depends on the proxy over TCP, so it is left out if only targets are
     * measured.
     */
    Set<Way> judgedWays() {
        Set<Way> judged = servedWays();
        if (quick || targets) {
            judged.remove(Way.PROXY_TCP);
        }
        return judged;
    }

    /** Returns the ways for replicated topics. */
    Set<Way> replicatedWays(boolean withRdmaFollowers) {
        Set<Way> replicated = judgedWays();
        if (withRdmaFollowers) {
            ways.stream().filter(Way::hasRdmaFollowers).forEach(replicated::add);
        }
        return replicated;
    }

    BrokerLine brokerLine() {
        return BrokerLine.of(broker);
    }

    int brokers() {
        return brokers;
    }

    boolean isAwake() {
        return awake;
    }

    long scanBytes() {
        return (long) scanMib << 20;
    }

    /** @param usual the default */
    int toolRecords(int usual) {
        return toolRecords == null ? usual : toolRecords;
    }

    LoadOptions load() {
        return load;
    }

    IdleOptions idle() {
        return idle;
    }

    public TransportOptions transport() {
        return transport;
    }

    /** Null without profiling. */
    Path profile() {
        return profile;
    }

    int profileMs() {
        return profileMs;
    }

    /** Null if no file is requested. */
    Path json() {
        return json;
    }

    boolean isGate() {
        return gate;
    }

    /** Null for the parent of the checkout's commit. */
    String parent() {
        return parent;
    }

    /** Null if no report is requested. */
    Path report() {
        return report;
    }
}
