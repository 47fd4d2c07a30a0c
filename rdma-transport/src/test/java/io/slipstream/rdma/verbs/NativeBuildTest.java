// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.slipstream.rdma.library.BuildScript;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script that compiles the native library, on machines without compiler or headers. */
class NativeBuildTest {
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
        return script().library(NativeLibrary.FILE);
    }

    private BuildScript script() {
        return new BuildScript("src/main/native/build", directory);
    }

    private int build(Map<String, String> environment) throws IOException, InterruptedException {
        BuildScript script = script();
        int status = script.run(environment);
        output = script.output();
        return status;
    }
}
