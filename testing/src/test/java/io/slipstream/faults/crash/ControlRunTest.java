// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ControlRunTest {
    @TempDir
    private Path directory;

    @Test
    void shouldReadWhatACampaignWrites() throws IOException {
        Path json = directory.resolve("tcp.json");
        Files.writeString(json, """
                {"arm": "tcp", "kills": 60, "victims": {
                  "broker": {"kills": 30, "killsWithDuplicates": 1, "recordsTwice": 8},
                  "proxy-then-broker": {"kills": 30, "killsWithDuplicates": 4, "recordsTwice": 90}}}
                """);

        assertThat(ControlRun.read(json)).isEqualTo(new ControlRun("tcp", 60, 5));
    }

    @Test
    void shouldNameAFileThatIsNoResult() throws IOException {
        Path json = Files.writeString(directory.resolve("other.json"), "{}");

        assertThatThrownBy(() -> ControlRun.read(json))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining(json.toString());
    }

    @Test
    void shouldExcuseAnArmWithoutDuplicates() {
        CrashTotals none = new CrashTotals(CrashPlan.usual(10));

        assertThat(new ControlRun("tcp", 60, 5).isExceededBy(none)).isFalse();
        assertThat(new ControlRun("tcp", 60, 5).compare(none)).contains("0 of 0, in arm tcp 5 of 60");
    }
}
