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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The reasons given for a library that cannot be loaded. Each case runs in a JVM of its own, because a JVM loads a
 * library once.
 */
class UnavailableLibraryTest {
    @TempDir
    private Path directory;

    /** Prints the reason, or "available". */
    static final class Reason {
        public static void main(String[] arguments) {
            System.out.println(NativeLibrary.unavailableReason().orElse("available"));
        }
    }

    @Test
    void shouldPreferALibraryThatLiesInTheGivenDirectory() throws Exception {
        Files.writeString(directory.resolve(NativeLibrary.FILE), "not a library");

        assertThat(reason("-D" + NativeLibrary.DIRECTORY_PROPERTY + "=" + directory))
                .startsWith("the native library " + directory.resolve(NativeLibrary.FILE) + " cannot be loaded: ")
                .contains("UnsatisfiedLinkError");
        assertThat(directory.resolve(NativeLibrary.FILE))
                .as("not ours to delete")
                .exists();
    }

    @Test
    void shouldNameTheDirectoryThatCannotBeUnpackedTo() throws Exception {
        assumeBuilt();
        Path missing = directory.resolve("missing");

        assertThat(reason("-Djava.io.tmpdir=" + missing))
                .startsWith("cannot unpack the native library to " + missing)
                .endsWith("name a writable directory with -Dslipstream.native.dir=DIRECTORY");
    }

    @Test
    void shouldLeaveNothingUnpacked() throws Exception {
        assumeBuilt();

        assertThat(reason("-D" + NativeLibrary.DIRECTORY_PROPERTY + "=" + directory))
                .isEqualTo("available");
        try (var left = Files.list(directory)) {
            assertThat(left.filter(file -> !file.endsWith("output"))).isEmpty();
        }
    }

    @Test
    void shouldNameThePackagesOfMissingLibraries() {
        assertThat(NativeLibrary.reason(
                        Path.of("/tmp/x/libdisni.so"),
                        new UnsatisfiedLinkError("/tmp/x/libdisni.so: librdmacm.so.1: cannot open shared object file:"
                                + " No such file or directory")))
                .startsWith("librdmacm.so.1 is not installed on this host")
                .contains("rdma-core libibverbs1 librdmacm1 ibverbs-providers");
    }

    @Test
    void shouldNameTheOverrideWhereNothingMayBeExecuted() {
        assertThat(NativeLibrary.reason(
                        Path.of("/tmp/x/libdisni.so"),
                        new UnsatisfiedLinkError("/tmp/x/libdisni.so: /tmp/x/libdisni.so: failed to map segment from"
                                + " shared object")))
                .startsWith("libraries cannot be executed from /tmp/x (mounted noexec?)")
                .contains("-Dslipstream.native.dir=DIRECTORY");
    }

    private static void assumeBuilt() {
        assumeTrue(
                NativeLibrary.unavailableReason().isEmpty(),
                () -> NativeLibrary.unavailableReason().orElseThrow());
    }

    private String reason(String flag) throws IOException, InterruptedException {
        Path output = directory.resolve("output");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                flag,
                "-cp",
                System.getProperty("java.class.path"),
                Reason.class.getName()));
        Process process =
                new ProcessBuilder(command).redirectOutput(output.toFile()).start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS))
                    .as("ended in time")
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(output, StandardCharsets.UTF_8).lines().reduce("", (first, last) -> last);
    }
}
