// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.process.ChildProcess;
import io.slipstream.process.StartFailure;
import io.slipstream.process.TempDirectory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the CPUs from halting with one idle-priority (SCHED_IDLE) loop per CPU. In a virtual machine, waking a halted
 * CPU takes longer than the measured operations. Whether a CPU is halted is random and affects all ways equally.
 */
final class AwakeProcessors implements AutoCloseable {
    private static final long START_MS = 200;

    private final TempDirectory directory = TempDirectory.create("ss-awake");
    private final List<ChildProcess> loops = new ArrayList<>();

    /** @throws StartFailure without {@code chrt}, which is part of util-linux */
    static AwakeProcessors start(int processors) throws InterruptedException {
        AwakeProcessors awake = new AwakeProcessors();
        try {
            for (int i = 0; i < processors; i++) {
                awake.loops.add(ChildProcess.start(
                        "chrt",
                        List.of("chrt", "--idle", "0", "sh", "-c", "while :; do :; done"),
                        awake.directory.path(),
                        awake.directory.path().resolve("chrt.log")));
            }
            TimeUnit.MILLISECONDS.sleep(START_MS);
            for (ChildProcess loop : awake.loops) {
                if (!loop.isAlive()) {
                    throw new StartFailure("cannot keep processors awake" + loop.logTail());
                }
            }
            return awake;
        } catch (InterruptedException | RuntimeException e) {
            awake.close();
            throw e;
        }
    }

    int count() {
        return loops.size();
    }

    @Override
    public void close() {
        loops.forEach(ChildProcess::kill9);
        directory.close();
    }
}
