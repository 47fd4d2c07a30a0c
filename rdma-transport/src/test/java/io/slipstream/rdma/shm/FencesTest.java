// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs {@link FenceRaces} in a JVM with both compilers. The first compiler, which the other tests are limited to, adds
 * a fence to each ordered store and so hides a missing one.
 */
class FencesTest {
    @Test
    void shouldOrderWhatTwoProcessorsWriteAndRead(@TempDir Path directory) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("--add-opens"))
                .forEach(command::add);
        command.addAll(List.of("-Xmx64m", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path")));
        command.add(FenceRaces.class.getName());
        Path log = directory.resolve("log");
        Process races = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(races.waitFor(60, TimeUnit.SECONDS)).as("ended in time").isTrue();
            assertThat(races.exitValue()).as(Files.readString(log)).isZero();
            assertThat(Files.readString(log)).contains("against the peer that publishes one");
        } finally {
            races.destroyForcibly();
        }
    }
}
