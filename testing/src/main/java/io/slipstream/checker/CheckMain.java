// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.HistoryFile;
import io.slipstream.history.Recorder;
import io.slipstream.workload.SyntheticRun;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Checks a history file. Exit status: {@code 0} if it is clean, {@code 1} if not. */
@Command(name = "check", mixinStandardHelpOptions = true, description = "Checks a recorded history.")
public final class CheckMain implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "the history")
    private Path file;

    @Option(
            names = "--generate",
            paramLabel = "RECORDS",
            description = "first write a clean synthetic history with this many records to FILE")
    private long records;

    @Option(names = "--seed", description = "seed of the synthetic history")
    private long seed = 1;

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new CheckMain()).execute(arguments));
    }

    @Override
    public Integer call() {
        if (records > 0) {
            long beganNs = System.nanoTime();
            try (Recorder recorder = HistoryFile.create(file)) {
                SyntheticRun.record(recorder, seed, 16, records);
            }
            say("wrote %s: %d MB in %.1f s%n", file, file.toFile().length() >> 20, seconds(beganNs));
        }
        long beganNs = System.nanoTime();
        Report report = Checker.check(HistoryFile.open(file));
        System.out.print(report.text());
        say(
                "%s, checked in %.1f s with a heap of at most %d MB%n",
                report.isClean() ? "clean" : "NOT CLEAN",
                seconds(beganNs),
                Runtime.getRuntime().maxMemory() >> 20);
        return report.isClean() ? 0 : 1;
    }

    private static double seconds(long sinceNs) {
        return (System.nanoTime() - sinceNs) / 1e9;
    }

    private static void say(String format, Object... arguments) {
        System.out.printf(Locale.ROOT, format, arguments);
    }
}
