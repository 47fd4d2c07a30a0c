// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.source;

import io.slipstream.process.StartFailure;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Runs the git command in a directory. */
public final class Git {
    private final Path directory;

    public Git(Path directory) {
        this.directory = directory;
    }

    /**
     * Returns the output without surrounding blanks.
     *
     * @throws StartFailure with git's output if git fails
     */
    public String run(String... arguments) {
        Result result = execute(arguments);
        if (result.status != 0) {
            throw new StartFailure("git " + String.join(" ", arguments) + " failed: " + result.output);
        }
        return result.output;
    }

    /** Returns the output, or nothing if git fails. */
    public Optional<String> find(String... arguments) {
        try {
            Result result = execute(arguments);
            return result.status == 0 ? Optional.of(result.output) : Optional.empty();
        } catch (UncheckedIOException noGit) {
            return Optional.empty();
        }
    }

    private record Result(int status, String output) {}

    private Result execute(String... arguments) {
        List<String> command = new ArrayList<>(List.of("git"));
        command.addAll(List.of(arguments));
        try {
            Process process = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return new Result(process.waitFor(), output.strip());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run git", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new InterruptedIOException("interrupted while git ran"));
        }
    }
}
