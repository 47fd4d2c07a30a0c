// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the natives' tests with a library that checks its own memory accesses and arithmetic (AddressSanitizer,
 * UndefinedBehaviorSanitizer), in a JVM that checks JNI calls. The build makes that library beside the real one.
 * README.md describes how to run other tests that way.
 */
class SanitizedNativesTest {
    private static final long DEADLINE_S = 120;

    @TempDir
    private Path directory;

    private Path sanitized;

    @BeforeEach
    void find() {
        sanitized = Path.of(
                        "target", "native-asan", "linux-" + NativeLibrary.architecture(System.getProperty("os.arch")))
                .toAbsolutePath();
        assumeTrue(
                Files.exists(sanitized.resolve(NativeLibrary.FILE)),
                () -> "no library with AddressSanitizer was built: " + sanitized);
    }

    @Test
    void shouldFindNothingInTheTestsThatNeedNoDevice() throws Exception {
        Path output = directory.resolve("output");

        int status = run(output, TestRun.class, NativeMemoryTest.class.getName(), NativeArgumentsTest.class.getName());

        assertThat(Files.readString(output))
                .contains(" 0 failed, 0 skipped")
                .doesNotContain("AddressSanitizer")
                .doesNotContain("runtime error")
                .doesNotContain("in native method");
        assertThat(status).isZero();
    }

    @Test
    void shouldFindAPlantedOverflow() throws Exception {
        Path output = directory.resolve("output");

        int status = run(output, PlantedOverflow.class);

        assertThat(Files.readString(output)).contains("AddressSanitizer: heap-buffer-overflow");
        assertThat(status).isNotZero();
    }

    private int run(Path output, Class<?> main, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xcheck:jni",
                "-ea",
                "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
                "-D" + NativeLibrary.DIRECTORY_PROPERTY + "=" + sanitized,
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment()
                .put(
                        "LD_PRELOAD",
                        Files.readString(sanitized.resolve("preload"), StandardCharsets.UTF_8)
                                .strip());
        // The JVM handles its own SIGSEGV and frees nothing at exit.
        builder.environment().put("ASAN_OPTIONS", "handle_segv=0,allow_user_segv_handler=1,detect_leaks=0");
        Process process = builder.start();
        try {
            assertThat(process.waitFor(DEADLINE_S, TimeUnit.SECONDS))
                    .as("ended in time")
                    .isTrue();
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }
}
