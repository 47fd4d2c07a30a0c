// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.process.TempDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One completed program run.
 *
 * @param status exit status
 */
record ToolRun(List<String> command, int status, String output, String errors) {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Runs the command with these lines on its standard input. A run that times out is killed and fails. */
    static ToolRun of(List<String> command, Path directory, List<String> input, Duration patience)
            throws IOException, InterruptedException {
        try (TempDirectory streams = TempDirectory.create("ss-t")) {
            Path in = Files.write(streams.path().resolve("in"), input);
            Path out = streams.path().resolve("out");
            Path err = streams.path().resolve("err");
            Process process = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectInput(in.toFile())
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile())
                    .start();
            boolean ended = process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
            if (!ended) {
                process.destroyForcibly().waitFor();
            }
            ToolRun run = new ToolRun(
                    command,
                    process.exitValue(),
                    Files.readString(out, StandardCharsets.UTF_8),
                    Files.readString(err, StandardCharsets.UTF_8));
            assertThat(ended).as("ended within %s: %s", patience, run).isTrue();
            return run;
        }
    }

    static ToolRun of(List<String> command, List<String> input) throws IOException, InterruptedException {
        return of(command, Path.of("").toAbsolutePath(), input, PATIENCE);
    }

    ToolRun succeeded() {
        assertThat(status).as("exit status of %s", this).isZero();
        return this;
    }

    @Override
    public String toString() {
        return String.join(" ", command.size() > 8 ? command.subList(command.size() - 8, command.size()) : command)
                + "\n" + tail(output) + "\n" + tail(errors);
    }

    private static String tail(String text) {
        return text.substring(Math.max(0, text.length() - 2_000));
    }
}
