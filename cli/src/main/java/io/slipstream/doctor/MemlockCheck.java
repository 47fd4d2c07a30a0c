// SPDX-License-Identifier: Apache-2.0
package io.slipstream.doctor;

import io.slipstream.rdma.verbs.MemoryLockLimit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Checks how much memory a process may lock. An RDMA adapter pins all registered memory. */
final class MemlockCheck implements Check {
    static final Path LIMITS = Path.of("/proc/self/limits");
    private static final String SUBJECT = "memlock limit";
    private static final String LINE = "Max locked memory";
    private static final long ENOUGH_BYTES = 1L << 30;

    private final Path limits;

    MemlockCheck(Path limits) {
        this.limits = limits;
    }

    @Override
    public List<Finding> examine() {
        try {
            for (String line : Files.readAllLines(limits)) {
                if (line.startsWith(LINE)) {
                    return List.of(judge(line.substring(LINE.length()).strip().split("\\s+")[0]));
                }
            }
            return List.of(Finding.warn(SUBJECT, "not listed in " + limits, "check with: ulimit -l"));
        } catch (IOException e) {
            return List.of(
                    Finding.warn(SUBJECT, "cannot read " + limits + ": " + e.getMessage(), "check with: ulimit -l"));
        }
    }

    private static Finding judge(String soft) {
        if (soft.equals("unlimited") || Long.parseLong(soft) >= ENOUGH_BYTES) {
            return Finding.ok(SUBJECT, soft.equals("unlimited") ? soft : (Long.parseLong(soft) >> 20) + " MiB");
        }
        return Finding.warn(
                SUBJECT,
                (Long.parseLong(soft) >> 10) + " KiB: enough for shm, too low for an RDMA adapter",
                MemoryLockLimit.REMEDY);
    }
}
