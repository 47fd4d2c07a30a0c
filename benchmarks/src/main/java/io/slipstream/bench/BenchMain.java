// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.report.JsonFile;
import io.slipstream.bench.report.Plot;
import io.slipstream.bench.report.ReportDirectory;
import io.slipstream.bench.report.Result;
import io.slipstream.bench.report.Run;
import io.slipstream.bench.report.Verdict;
import io.slipstream.bench.source.Commit;
import io.slipstream.bench.source.Git;
import io.slipstream.process.Checkout;
import io.slipstream.process.StartFailure;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * {@code ./slipstream bench [SUITE]}: measures, prints and writes. Exit status: 0 if all measured targets are met, 1 if
 * a measurement failed, 3 if a target is missed, 4 if none is missed but some are undecided.
 */
@Command(name = "bench")
public final class BenchMain implements Callable<Integer> {
    private static final int FAILED = 1;
    private static final int MISSED = 3;
    private static final int UNDECIDED = 4;

    @Mixin
    private BenchOptions options;

    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        return new CommandLine(new BenchMain())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler((exception, arguments) -> {
                    exception
                            .getCommandLine()
                            .getErr()
                            .println("slipstream bench: " + exception.getMessage() + "\nSee ./slipstream bench --help");
                    return CommandLine.ExitCode.USAGE;
                })
                .setExecutionExceptionHandler((exception, command, result) -> {
                    command.getErr()
                            .println("slipstream bench: "
                                    + (exception instanceof StartFailure
                                            ? exception.getMessage()
                                            : exception.toString()));
                    return FAILED;
                });
    }

    @Override
    public Integer call() throws Exception {
        options.check();
        if (options.isGate()) {
            return new Gate(options).run();
        }
        RunRecording recorded = options.recordedRun();
        List<Suite> suites = options.suites().stream()
                .filter(suite -> suite.workloads(options).stream().anyMatch(each -> options.measures(suite, each)))
                .toList();
        Commit commit = Commit.of(new Git(Checkout.root()));
        Map<String, String> machine = Machine.describe(options.brokerLine());
        Map<String, String> sentences = new LinkedHashMap<>();
        suites.forEach(suite -> sentences.put(suite.name(), suite.sentence()));
        List<Result> results = new ArrayList<>();
        List<Plot> plots = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        try (AwakeProcessors loops = AwakeProcessors.start(
                        options.isAwake() ? Runtime.getRuntime().availableProcessors() : 0);
                Session session = new Session(options, progress(suites))) {
            machine.put("kept awake", loops.count() + " processors");
            for (int i = 0; i < suites.size(); i++) {
                session.progress().begin(i);
                SuiteResult result = run(suites.get(i), session, suites.size() == 1);
                results.addAll(result.results());
                plots.addAll(result.plots());
                problems.addAll(result.problems());
            }
        }
        Run run = new Run(commit, machine, settings(suites), sentences, results, plots);
        finish(run);
        if (recorded != null && problems.isEmpty()) {
            recorded.write(run);
        }
        problems.forEach(problem -> System.err.println("slipstream bench: " + problem));
        return problems.isEmpty() ? status(run.counts()) : FAILED;
    }

    static int status(Map<Verdict.Status, Long> counts) {
        if (counts.get(Verdict.Status.MISSED) > 0) {
            return MISSED;
        }
        return counts.get(Verdict.Status.UNDECIDED) > 0 ? UNDECIDED : 0;
    }

    /** A failed suite does not affect the figures of others, but the run fails. */
    private static SuiteResult run(Suite suite, Session session, boolean alone) throws Exception {
        try {
            return suite.run(session);
        } catch (InterruptedException | InterruptedIOException e) {
            throw e;
        } catch (Exception e) {
            if (alone) {
                throw e;
            }
            session.endStage();
            return new SuiteResult(List.of(), List.of(), List.of(suite.name() + " failed: " + e));
        }
    }

    private Progress progress(List<Suite> suites) {
        Progress progress = new Progress(
                suites.stream().map(Suite::name).toList(),
                suites.stream().mapToLong(suite -> suite.estimateMs(options)).toArray(),
                System::nanoTime,
                System.out);
        System.out.println(suites.size() + " suites, about " + Progress.duration(progress.leftMs()));
        return progress;
    }

    private Map<String, String> settings(List<Suite> suites) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put(
                "rounds",
                suites.stream()
                        .map(suite -> suite.name() + ' ' + suite.rounds(options))
                        .collect(Collectors.joining(", ")));
        settings.put("arguments", options.arguments());
        settings.put(
                "provider",
                suites.stream().map(suite -> suite.provider(options)).distinct().collect(Collectors.joining(", ")));
        for (Suite suite : suites) {
            if (suite instanceof ToolSuite tools) {
                settings.merge("tool arguments", tools.arguments(options), (one, other) -> one + "; " + other);
            }
        }
        settings.put(
                "seeds",
                "values 0, 1, 2 by size; pauses and partitions of waiting consumers " + IdleSuite.SEED
                        + "; sensor events " + EventSuite.SEED);
        return settings;
    }

    private void finish(Run run) throws Exception {
        System.out.print(run.text());
        if (options.json() != null) {
            new JsonFile().write(run, options.json());
        }
        if (options.report() != null) {
            new ReportDirectory(options.report()).write(run);
            System.out.println("\nreport in " + options.report());
        }
    }
}
