// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * CPU time of one process in nanoseconds, and its turns: how often a thread began to run. Both are sums over threads of
 * {@code /proc/PID/task/TID/schedstat}. ({@code /proc/PID/stat} has a resolution of 10 ms, more than an idle broker
 * uses in a second.) The use of a thread that ends between two readings since the first of them is lost. Confined to
 * one thread.
 */
final class ProcessCpu {
    private final Path tasks;
    private final Map<String, Seen> seen = new HashMap<>();
    private long totalNs;
    private long turns;

    private record Seen(long runNs, long turns) {}

    private ProcessCpu(Path tasks) {
        this.tasks = tasks;
    }

    static ProcessCpu of(long pid) {
        return new ProcessCpu(Path.of("/proc", Long.toString(pid), "task"));
    }

    static ProcessCpu ofThisProcess() {
        return of(ProcessHandle.current().pid());
    }

    /**
     * Returns user and system time so far of threads seen at a reading; monotonic. 0 if the kernel does not report it.
     */
    long readNs() {
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
            for (Path thread : threads) {
                readThread(thread);
            }
        } catch (IOException e) {
            return totalNs;
        }
        return totalNs;
    }

    /** Returns the turns until the last {@link #readNs}. */
    long turns() {
        return turns;
    }

    private void readThread(Path thread) {
        try {
            // Time on a processor, time in its queue, and turns.
            String[] stat =
                    Files.readString(thread.resolve("schedstat")).strip().split(" ");
            Seen now = new Seen(Long.parseLong(stat[0]), Long.parseLong(stat[2]));
            Seen before = seen.put(thread.getFileName().toString(), now);
            if (before == null || before.runNs > now.runNs) {
                // The kernel may have reused the thread id.
                before = new Seen(0, 0);
            }
            totalNs += now.runNs - before.runNs;
            turns += now.turns - before.turns;
        } catch (IOException e) {
            // The thread has ended.
        }
    }
}
