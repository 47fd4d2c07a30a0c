// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.slipstream.bench.BenchMain;
import io.slipstream.process.Checkout;
import io.slipstream.process.ChildProcess;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The comparison with perftest in the Soft-RoCE machine: every row is measured and printed. Never checks speed. */
@Tag("thorough")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class TransportBenchIT {
    private static final int MISSING_ON_THE_HOST = 69;
    private static final Duration DEADLINE = Duration.ofMinutes(8);
    /** Time in addition to the deadline: the first download of a kernel, and waiting for other machines. */
    private static final Duration GRACE = Duration.ofMinutes(5);

    @Test
    void shouldPrintEveryRowBesidePerftests() throws Exception {
        requirePerftest();
        Path directory = Files.createDirectories(Checkout.root().resolve("benchmarks/target/softroce"));
        Path json = directory.resolve("transport.json");
        Path log = directory.resolve("transport.log");
        Files.deleteIfExists(json);
        Files.deleteIfExists(log);

        ChildProcess run = ChildProcess.start("softroce", command(json), Checkout.root(), log);
        int status = run.awaitExit(DEADLINE.plus(GRACE));
        run.stop();

        if (status == MISSING_ON_THE_HOST) {
            unavailable("no Soft-RoCE machine" + run.logTail());
        }
        assertThat(status).as("exit status%s", run.logTail()).isZero();
        String printed = Files.readString(log);
        Set<String> experiments = new HashSet<>();
        for (JsonNode result : new ObjectMapper().readTree(json.toFile()).get("results")) {
            String way = result.get("way").asText();
            experiments.add(result.get("workload").asText() + ' ' + way);
            assertThat(result.at("/figures/medianUs/value").asDouble())
                    .as(result.toString())
                    .isPositive();
            assertThat(result.at("/figures/ratio/value").asDouble() > 0)
                    .as(result.toString())
                    .isEqualTo(way.equals("OURS"));
        }
        for (Experiment experiment : Experiment.values()) {
            assertThat(experiments).contains(experiment.name() + " OURS", experiment.name() + " PERFTEST");
            assertThat(printed).contains(experiment.label());
        }
    }

    private static List<String> command(Path json) {
        return List.of(
                Checkout.root().resolve("integration-tests/softroce/run").toString(),
                "--timeout",
                Long.toString(DEADLINE.toSeconds()),
                "--",
                "env",
                "SLIPSTREAM_PATIENCE=6",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:CompileThresholdScaling=1",
                "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
                "-cp",
                jarsFirst(System.getProperty("java.class.path")),
                BenchMain.class.getName(),
                "transport",
                "--rounds",
                "1",
                "--iterations",
                "100",
                "--json",
                json.toString());
    }

    /** In the machine each directory lookup is a round trip to the host; most classes are in jars. */
    private static String jarsFirst(String classPath) {
        return Arrays.stream(classPath.split(File.pathSeparator))
                .sorted(Comparator.comparing((String entry) -> !entry.endsWith(".jar")))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static void requirePerftest() {
        for (Experiment experiment : Experiment.values()) {
            String program = experiment.perftest().get(0);
            if (Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                    .noneMatch(directory -> Files.isExecutable(Path.of(directory, program)))) {
                unavailable(program + " is not installed; apt-get install perftest");
            }
        }
    }

    /** Skips the test; in continuous integration nothing may be missing. */
    private static void unavailable(String reason) {
        if ("1".equals(System.getenv("SLIPSTREAM_CI"))) {
            fail(reason);
        }
        abort(reason);
    }
}
