// SPDX-License-Identifier: Apache-2.0
package io.slipstream.containers;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Runs local programs to completion. */
final class Program {
    private Program() {}

    /** @param output standard output and standard error, interleaved */
    record Result(int status, String output) {}

    static Optional<Path> find(String name) {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .filter(directory -> !directory.isEmpty())
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    static Result run(Duration patience, Path directory, List<String> command) {
        return run(patience, directory, Map.of(), command);
    }

    /** Throws on timeout and kills the program. */
    static Result run(Duration patience, Path directory, Map<String, String> environment, List<String> command) {
        Path output = null;
        try {
            // Uses a file, so that no reader is needed while it runs.
            output = Files.createTempFile("slipstream-", ".out");
            ProcessBuilder builder =
                    new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
            builder.environment().putAll(environment);
            Process process = builder.redirectOutput(output.toFile()).start();
            try {
                if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                    throw new IllegalStateException(String.join(" ", command) + " has not ended in " + patience + ": "
                            + Files.readString(output));
                }
                return new Result(process.exitValue(), Files.readString(output));
            } finally {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + command, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + command + " ran", e);
        } finally {
            if (output != null) {
                output.toFile().delete();
            }
        }
    }

    /** As {@link #run}; throws unless the status is 0. */
    static String require(Duration patience, Path directory, Map<String, String> environment, List<String> command) {
        Result result = run(patience, directory, environment, command);
        if (result.status() != 0) {
            throw new IllegalStateException(
                    String.join(" ", command) + " ended with status " + result.status() + ":\n" + result.output());
        }
        return result.output();
    }
}
