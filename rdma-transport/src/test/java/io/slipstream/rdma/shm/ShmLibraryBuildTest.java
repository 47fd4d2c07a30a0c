// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.rdma.library.BuildScript;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A build without the library is asked for by name. It never happens in silence. */
class ShmLibraryBuildTest {
    private static final String NO_COMPILER = "no-such-compiler";
    private static final String SWITCH = "SLIPSTREAM_WITHOUT_SHM";

    private BuildScript script;
    private Path library;

    @BeforeEach
    void prepare(@TempDir Path directory) {
        script = new BuildScript("src/main/native-shm/build", directory);
        library = script.library("libslipstreamshm.so");
    }

    @Test
    void shouldFailWithoutACompilerAndNameTheSwitch() throws Exception {
        assertThat(script.run(Map.of("CC", NO_COMPILER, SWITCH, ""))).isNotZero();
        assertThat(script.output())
                .contains("no C compiler (no-such-compiler); apt-get install gcc libc6-dev")
                .contains("SLIPSTREAM_WITHOUT_SHM=1 builds without the provider shm");
    }

    @Test
    void shouldBuildWithoutTheLibraryWhereTheSwitchIsSet() throws Exception {
        assertThat(script.run(Map.of(SWITCH, ""))).as(script::output).isZero();
        assertThat(library).exists();
        assertThat(script.run(Map.of("CC", NO_COMPILER, SWITCH, "")))
                .as("up to date")
                .isZero();
        assertThat(Files.size(library)).isPositive();

        assertThat(script.run(Map.of("CC", NO_COMPILER, SWITCH, "1"))).isZero();
        assertThat(script.output()).contains("built without the provider shm");
        assertThat(library).doesNotExist();
    }
}
