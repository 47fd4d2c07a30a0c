// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script that compiles the native library, on machines without compiler or headers. */
class NativeBuildTest {
    private static final Path SCRIPT = Path.of("src/main/native/build").toAbsolutePath();

    @TempDir
    private Path directory;

    private String output;

    @Test
    void shouldBuildEverythingElseWithoutACompiler() throws Exception {
        assertThat(build(Map.of("CC", "no-such-compiler", "SLIPSTREAM_CI", ""))).isZero();

        assertThat(output.lines())
                .singleElement()
                .asString()
                .contains("built without the verbs provider's native library: no C compiler")
                .contains("apt-get install gcc libc6-dev libibverbs-dev librdmacm-dev");
        assertThat(library()).doesNotExist();
    }

    @Test
    void shouldNameTheMissingHeader() throws Exception {
        Path blind = Files.writeString(directory.resolve("cc"), "#!/bin/sh\nexit 1\n");
        assertThat(blind.toFile().setExecutable(true)).isTrue();

        assertThat(build(Map.of("CC", blind.toString(), "SLIPSTREAM_CI", ""))).isZero();

        assertThat(output).contains("no infiniband/verbs.h; apt-get install libibverbs-dev");
    }

    @Test
    void shouldFailInContinuousIntegrationWithoutACompiler() throws Exception {
        assertThat(build(Map.of("CC", "no-such-compiler", "SLIPSTREAM_CI", "1")))
                .isNotZero();
    }

    @Test
    void shouldCompileOnlyWhatIsOlderThanItsSources() throws Exception {
        assertThat(build(Map.of())).as(() -> output).isZero();
        assumeTrue(Files.exists(library()), () -> output);
        FileTime first = Files.getLastModifiedTime(library());

        assertThat(build(Map.of("CC", "no-such-compiler"))).isZero();
        assertThat(Files.getLastModifiedTime(library())).isEqualTo(first);

        Files.setLastModifiedTime(library(), FileTime.fromMillis(0));
        assertThat(build(Map.of())).isZero();
        assertThat(Files.getLastModifiedTime(library())).isGreaterThanOrEqualTo(first);
    }

    private Path library() {
        return directory
                .resolve("linux-" + NativeLibrary.architecture(System.getProperty("os.arch")))
                .resolve(NativeLibrary.FILE);
    }

    private int build(Map<String, String> environment) throws IOException, InterruptedException {
        Path log = directory.resolve("log");
        ProcessBuilder builder = new ProcessBuilder(
                        SCRIPT.toString(), directory.toString(), System.getProperty("java.home"))
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
}
