// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a script that compiles a native library, as Maven does. */
public final class BuildScript {
    private final Path script;
    private final Path directory;
    private String output;

    /**
     * @param script relative to the module
     * @param directory receives the library
     */
    public BuildScript(String script, Path directory) {
        this.script = Path.of(script).toAbsolutePath();
        this.directory = directory;
    }

    /** Returns the exit status. */
    public int run(Map<String, String> environment) throws IOException, InterruptedException {
        Path log = directory.resolve("log");
        ProcessBuilder builder = new ProcessBuilder(
                        script.toString(), directory.toString(), System.getProperty("java.home"))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS))
                    .as("ended in time")
                    .isTrue();
            output = Files.readString(log);
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    /** What the last run printed. */
    public String output() {
        return output;
    }

    public Path library(String file) {
        return directory
                .resolve("linux-" + LibraryFile.architecture(System.getProperty("os.arch")))
                .resolve(file);
    }
}
