// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.bench.report.Targets;
import io.slipstream.bench.report.Verdict.Status;
import io.slipstream.process.Checkout;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;

class BenchMainTest {
    private static final long MINUTE_MS = 60_000;
    private final StringWriter errors = new StringWriter();

    /** Has the options, and does nothing. */
    @CommandLine.Command
    private static final class Parsed {
        @Mixin
        private BenchOptions options;
    }

    @Test
    void shouldNameTheSuitesIfThereIsNoSuchOne() {
        assertThat(refused("prodice")).contains("unknown suite prodice").contains(Suites.names());
    }

    @Test
    void shouldRefuseWhatMakesNoSense() {
        assertThat(refused("--rounds", "0")).contains("--rounds");
        assertThat(refused("--provider", "tcp")).contains("shm", "verbs");
        assertThat(refused("--broker", "3.9")).contains("4.3", "4.4");
        assertThat(refused("idle", "--consumers", "10,0")).contains("--consumers");
        assertThat(refused("load-sweep", "--loads", "2000,1000")).contains("--loads");
        assertThat(refused("load-sweep", "--p99-limit-ms", "0")).contains("--p99-limit-ms");
        assertThat(refused("stock-tools", "--tool-records", "2")).contains("--tool-records");
        assertThat(refused("transport", "--iterations", "1")).contains("--iterations");
        assertThat(refused("produce", "--workloads", "SCAN")).contains("unknown workload SCAN in [produce]");
        assertThat(refused("transport", "--profile", "x")).contains("--profile", "transport");
        assertThat(refused("produce", "--profile-ms", "0")).contains("--profile-ms");
        assertThat(refused("produce", "--profile", "/dev/null")).contains("/dev/null is not a directory");
        assertThat(refused("--parent", "HEAD")).contains("--parent needs --gate");
        assertThat(refused("--gate", "produce")).contains("--gate has its own workloads");
        assertThat(refused("jobs", "--brokers", "2")).contains("--brokers");
        assertThat(refused("produce", "--brokers", "3")).contains("--brokers");
        assertThat(refused("--quick", "--workloads", "FETCH_1K")).contains("FETCH_1K", "--quick");
    }

    @Test
    void shouldEndWithAStatusThatSaysTheVerdict() {
        assertThat(BenchMain.status(counts(3, 0, 0))).isZero();
        assertThat(BenchMain.status(counts(3, 1, 2))).isEqualTo(3);
        assertThat(BenchMain.status(counts(3, 0, 2))).isEqualTo(4);
    }

    private static Map<Status, Long> counts(long met, long missed, long undecided) {
        return Map.of(Status.MET, met, Status.MISSED, missed, Status.UNDECIDED, undecided, Status.NOT_MEASURED, 1L);
    }

    @Test
    void shouldTellTheBrokersVersionByItsJar() {
        assertThat(Machine.version(
                        "/x/kafka-clients-4.3.0.jar:/x/kafka-server-common-4.3.2.jar:/x/kafka-server-4.3.1.jar"))
                .hasValue("4.3.1");
        assertThat(Machine.version("/x/classes")).isEmpty();
    }

    @Test
    void shouldRunSuitesOnceAndInTheirOrder() {
        assertThat(options("fetch", "produce", "fetch").suites())
                .containsExactly(WorkloadSuite.FETCH, WorkloadSuite.PRODUCE);
        assertThat(options().suites()).isEqualTo(Suites.ALL);
    }

    @Test
    void shouldMeasureQuicklyWhatDecidesTheTable() {
        BenchOptions quick = options("--quick");
        Set<String> workloads = new HashSet<>();
        for (Suite suite : Suites.ALL) {
            if (!suite.name().equals("transport")) {
                workloads.addAll(suite.workloads(quick));
            }
        }

        assertThat(Targets.workloads()).containsAll(workloads);
        assertThat(workloads)
                .contains(
                        "PRODUCE",
                        "FETCH",
                        "EMPTY_FETCH",
                        "EMPTY_FETCH_PIPELINED",
                        "END_TO_END",
                        "SCAN",
                        "PRODUCE_RF3",
                        "PRODUCER_PERF",
                        "CONSUMER_PERF");
        assertThat(estimateMs(quick)).isLessThan(5 * MINUTE_MS);
        assertThat(estimateMs(options())).isBetween(10 * MINUTE_MS, 40 * MINUTE_MS);
    }

    @Test
    void shouldMeasureTheWorkloadsOfAllTargets() {
        BenchOptions targets = options("--targets", "--rounds", "3", "--record");
        targets.check();
        Set<String> workloads = targets.suites().stream()
                .flatMap(suite -> suite.workloads(targets).stream().filter(each -> targets.measures(suite, each)))
                .collect(Collectors.toSet());

        assertThat(workloads)
                .containsAll(Targets.workloads())
                .contains("COPIER", "STREAMS", "HEARTBEAT", "IDLE_1000", "END_TO_END_RF3", "IDLE_RF3", "FETCH_TAIL")
                .doesNotContain("READ_64", "IDLE_100", "PRODUCE_100K");
        assertThat(refused("--targets", "fetch")).contains("--targets");
        assertThat(refused("--targets", "--quick")).contains("--targets");
    }

    private static long estimateMs(BenchOptions options) {
        return Suites.ALL.stream()
                .filter(suite -> !suite.workloads(options).isEmpty())
                .mapToLong(suite -> suite.estimateMs(options))
                .sum();
    }

    @Test
    void shouldNotHaveTwoWorkloadsOfOneName() {
        Set<Workload> all = new HashSet<>();
        for (List<Workload> sweep :
                List.of(Sweeps.PRODUCE_SIZES, Sweeps.PRODUCE_BANDWIDTH, Sweeps.FETCH_SIZES, Sweeps.FETCH_BANDWIDTH)) {
            all.addAll(sweep);
        }

        assertThat(all.stream().map(Workload::name).distinct().count()).isEqualTo(all.size());
        assertThat(Set.copyOf(Targets.workloads()))
                .doesNotContainAnyElementsOf(all.stream().map(Workload::name).toList());
    }

    @Test
    void shouldMeasureAWorkloadOnceThatSuitesShare() {
        BenchOptions both = options("round-trips", "fetch");

        assertThat(both.measures(WorkloadSuite.ROUND_TRIPS, "EMPTY_FETCH")).isTrue();
        assertThat(both.measures(WorkloadSuite.FETCH, "EMPTY_FETCH")).isFalse();
        assertThat(both.measures(WorkloadSuite.FETCH, "SCAN")).isTrue();
        assertThat(options("fetch").measures(WorkloadSuite.FETCH, "EMPTY_FETCH"))
                .isTrue();
        assertThat(options("fetch", "--workloads", "SCAN").measures(WorkloadSuite.FETCH, "EMPTY_FETCH"))
                .isFalse();
        assertThat(both.measures(WorkloadSuite.PRODUCE, "PRODUCE_1K")).isFalse();
    }

    /** The launcher prints its help before a build, so it has its own list. */
    @Test
    void shouldBeListedByTheLaunchersHelp() throws Exception {
        String launcher = Files.readString(Checkout.root().resolve("slipstream"));
        String help = launcher.substring(launcher.indexOf("help_bench()"), launcher.indexOf("help_faults()"));

        for (Suite suite : Suites.ALL) {
            assertThat(help).containsPattern("(?m)^  " + suite.name() + " ");
        }
        assertThat(help).contains("  --profile DIR ", "  --gate ");
    }

    @Test
    void shouldProfileOnlyIfAsked() {
        BenchOptions plain = options("round-trips");
        BenchOptions profiled = options("round-trips", "--profile", "profiles");

        assertThat(plain.profile()).isNull();
        assertThat(profiled.profile()).isEqualTo(Path.of("profiles"));
        assertThat(WorkloadSuite.ROUND_TRIPS.estimateMs(profiled))
                .isGreaterThan(WorkloadSuite.ROUND_TRIPS.estimateMs(plain));
        assertThat(Suites.ALL.stream().filter(Suite::isProfiled).map(Suite::name))
                .contains("round-trips", "end-to-end", "produce", "fetch", "replication")
                .doesNotContain("transport", "idle");
    }

    private static BenchOptions options(String... arguments) {
        Parsed parsed = new Parsed();
        new CommandLine(parsed).parseArgs(arguments);
        return parsed.options;
    }

    private String refused(String... arguments) {
        int status = BenchMain.commandLine().setErr(new PrintWriter(errors)).execute(arguments);
        assertThat(status).isEqualTo(CommandLine.ExitCode.USAGE);
        String complaint = errors.toString();
        errors.getBuffer().setLength(0);
        return complaint;
    }
}
