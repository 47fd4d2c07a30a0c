// SPDX-License-Identifier: Apache-2.0
package io.slipstream.deploy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A completed program run. Its output goes to files, so that no pipe can fill up. */
record Program(List<String> command, int status, String output, String errors) {

    /** @param environment variables in addition to those of this process */
    static Program run(Path directory, Map<String, String> environment, long deadlineS, List<String> command) {
        try {
            Path output = Files.createTempFile("program", ".out");
            Path errors = Files.createTempFile("program", ".err");
            try {
                ProcessBuilder builder = new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectOutput(output.toFile())
                        .redirectError(errors.toFile());
                builder.environment().putAll(new HashMap<>(environment));
                Process process = builder.start();
                process.getOutputStream().close();
                if (!process.waitFor(deadlineS, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                    throw new IllegalStateException(String.join(" ", command) + " took more than " + deadlineS + " s");
                }
                return new Program(command, process.exitValue(), Files.readString(output), Files.readString(errors));
            } finally {
                Files.delete(output);
                Files.delete(errors);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Returns all output. */
    String text() {
        return output + errors;
    }

    Program succeeded() {
        if (status != 0) {
            throw new AssertionError(String.join(" ", command) + " ended with status " + status + "\n" + text());
        }
        return this;
    }
}
