// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.alerts;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.it.Tool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs Prometheus' own checker. */
final class Promtool {
    private static final int PATIENCE_SECONDS = 180;

    private Promtool() {}

    /** Throws if it reports an error. */
    static void check(Path output, String... arguments) throws IOException, InterruptedException {
        Tool.require("promtool", "prometheus");
        run("promtool", output, arguments);
    }

    static void run(String program, Path output, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
            String said = Files.readString(output, StandardCharsets.UTF_8);
            assertThat(ended).as("ended: %s%n%s", command, said).isTrue();
            assertThat(process.exitValue()).as("%s%n%s", command, said).isZero();
        } finally {
            process.destroyForcibly();
        }
    }
}
