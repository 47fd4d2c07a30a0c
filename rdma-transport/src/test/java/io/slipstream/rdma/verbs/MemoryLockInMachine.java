// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The memory lock limit of a process without privileges. Runs inside the Soft-RoCE machine. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class MemoryLockInMachine {
    @Test
    void shouldExplainTheMemoryLockLimit() throws Exception {
        // Root may lock any amount of memory, so this capability is dropped first.
        Process process = new ProcessBuilder(
                        "prlimit",
                        "--memlock=32768:32768",
                        "setpriv",
                        "--bounding-set=-ipc_lock",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LockLimitedPeer.class.getName())
                .start();
        try {
            assertThat(process.waitFor(180, TimeUnit.SECONDS))
                    .as("ended in time")
                    .isTrue();
            assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith(
                            "ibv_reg_mr: ENOMEM (Cannot allocate memory): 65536 bytes on top of what is pinned exceed"
                                    + " the memory lock limit of 32768 bytes")
                    .contains("LimitMEMLOCK=infinity");
        } finally {
            process.destroyForcibly();
        }
    }
}
