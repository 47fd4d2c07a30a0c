// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.micro;

import io.slipstream.rdma.RdmaProvider;
import java.util.Optional;
import java.util.regex.Pattern;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs the micro benchmarks with the project's flags: average time, two forks, short iterations. It always includes the
 * allocation profile, because the data path must not allocate. JMH's own options follow and override these, for example
 * a regular expression of names, {@code -f 1} or {@code -rf json -rff FILE}.
 */
public final class MicroBenchMain {
    private MicroBenchMain() {}

    public static void main(String[] args) throws RunnerException, CommandLineOptionException {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .parent(new CommandLineOptions(args))
                .jvmArgs(
                        "-Xms512m",
                        "-Xmx512m",
                        "-XX:+UseSerialGC",
                        "-XX:+AlwaysPreTouch",
                        // The flags of the proxy.
                        "-Dio.netty.leakDetection.level=disabled",
                        "-Djmh.executor=CUSTOM",
                        "-Djmh.executor.class=" + LoopThreads.class.getName(),
                        "--add-opens=java.base/java.io=ALL-UNNAMED",
                        "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED")
                .addProfiler(GCProfiler.class);
        CommandLineOptions given = new CommandLineOptions(args);
        if (!given.getForkCount().hasValue()) {
            options.forks(2);
        }
        if (!given.getWarmupIterations().hasValue()) {
            options.warmupIterations(3).warmupTime(TimeValue.milliseconds(500));
        }
        if (!given.getMeasurementIterations().hasValue()) {
            options.measurementIterations(5).measurementTime(TimeValue.milliseconds(500));
        }
        if (given.getIncludes().isEmpty()) {
            options.include("io\\.slipstream\\.bench\\.micro\\..*");
        }
        unavailable("verbs").ifPresent(reason -> {
            System.err.println("skipped VerbsOperationBenchmark: " + reason);
            options.exclude(Pattern.quote(VerbsOperationBenchmark.class.getName()));
        });
        new Runner(options.build()).run();
    }

    private static Optional<String> unavailable(String provider) {
        Optional<RdmaProvider> found = RdmaProvider.named(provider);
        return found.isEmpty()
                ? Optional.of("no provider " + provider)
                : found.get().unavailableReason();
    }
}
