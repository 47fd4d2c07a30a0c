// SPDX-License-Identifier: Apache-2.0
package io.slipstream.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.figures.Recording;
import io.slipstream.process.Checkout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/**
 * Fuzzes randomly drawn targets, at most two at a time; by default one, for 15 s of CPU time. System properties:
 *
 * <ul>
 *   <li>{@code slipstream.fuzz.seconds}: CPU time for all targets together, 0 for none. The run draws as many targets
 *       as can get {@link #SECONDS_EACH} each;
 *   <li>{@code slipstream.fuzz.executions}: executions of each target instead of a time. Applies to all targets unless
 *       some are named;
 *   <li>{@code slipstream.fuzz.targets}: comma-separated names of the targets to fuzz, or {@code all};
 *   <li>{@code slipstream.fuzz.record}: the manual, from the checkout's root, whose figures of fuzzing are replaced;
 *   <li>{@code slipstream.seed}: the seed of the draw and of all targets.
 * </ul>
 */
class FuzzIT {
    private static final int DEFAULT_SECONDS = 15;
    /** Minimum time that justifies a JVM's start. */
    private static final int SECONDS_EACH = 15;

    private static final int AT_A_TIME = 2;
    private static final int MOST_SECONDS = 7 * 24 * 3600;
    /** The slowest target has 3,600 a second: fewer executions mean that it hardly fuzzed. */
    private static final int LEAST_EXECUTIONS = 1_000;

    @Test
    void shouldFindNothing() throws Exception {
        long executions = Long.getLong("slipstream.fuzz.executions", 0);
        int total = Integer.getInteger("slipstream.fuzz.seconds", DEFAULT_SECONDS);
        Assumptions.assumeTrue(
                total > 0 || executions > 0, "give slipstream.fuzz.seconds or slipstream.fuzz.executions");
        int seed = Integer.getInteger("slipstream.seed", new SecureRandom().nextInt(1, Integer.MAX_VALUE));
        List<Target> targets = targets(seed, executions > 0 ? Integer.MAX_VALUE : total / SECONDS_EACH);
        Recording recording = recording(seed);
        System.out.println("fuzzing "
                + targets.stream().map(Target::name).collect(Collectors.joining(",")) + ", " + targets.size() + " of "
                + Target.ALL.size() + " targets: -Dslipstream.seed=" + seed);
        int seconds = executions > 0 ? MOST_SECONDS : Math.max(1, total / targets.size());
        Path directory = Files.createDirectories(Path.of("target/fuzz").toAbsolutePath());
        ExecutorService runs = Executors.newFixedThreadPool(AT_A_TIME);
        try {
            List<Future<TargetRun.Figures>> started = new ArrayList<>();
            for (Target target : targets) {
                TargetRun run = new TargetRun(target, seed, directory);
                started.add(runs.submit(() -> run.run(seconds, executions)));
            }
            List<String> lines = new ArrayList<>(List.of(TargetRun.Figures.HEADER));
            for (Future<TargetRun.Figures> each : started) {
                TargetRun.Figures figures = each.get();
                lines.add(figures.toString());
                assertThat(figures.executions())
                        .as("executions of %s", figures.target().name())
                        .isGreaterThan(executions > 0 ? 0 : LEAST_EXECUTIONS);
                assertThat(figures.coverage())
                        .as("edges reached by %s", figures.target().name())
                        .isPositive();
            }
            Recording.print(recording, out -> lines.forEach(out::println));
        } finally {
            runs.shutdownNow();
        }
    }

    /** Null if nothing is to be recorded. */
    private static Recording recording(int seed) {
        String manual = System.getProperty("slipstream.fuzz.record");
        if (manual == null) {
            return null;
        }
        String properties = Stream.of("executions", "seconds", "targets", "record")
                .map(key -> "slipstream.fuzz." + key)
                .filter(key -> System.getProperty(key) != null)
                .map(key -> " -D" + key + "=" + System.getProperty(key))
                .collect(Collectors.joining());
        return Recording.begin(
                Checkout.root().resolve(manual),
                "fuzzing",
                "mvn verify -pl integration-tests/fuzz -am -Dit.test=FuzzIT -Dslipstream.seed=" + seed + properties);
    }

    /** Returns the named targets, or else this many of all. */
    private static List<Target> targets(int seed, int count) {
        String names = System.getProperty("slipstream.fuzz.targets", "");
        if (names.isEmpty()) {
            return Target.draw(seed, Math.max(1, Math.min(count, Target.ALL.size())));
        }
        List<String> asked = Arrays.asList(names.split(","));
        List<Target> chosen = Target.ALL.stream()
                .filter(target -> names.equals("all") || asked.contains(target.name()))
                .toList();
        assertThat(chosen).as("targets among %s", Target.ALL).isNotEmpty();
        return chosen;
    }
}
