// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * CPU time of one process in nanoseconds: the sum over threads of {@code /proc/PID/task/TID/schedstat}. ({@code
 * /proc/PID/stat} has a resolution of 10 ms, more than an idle broker uses in a second.) The use of a thread that ends
 * between two readings since the first of them is lost. Confined to one thread.
 */
final class ProcessCpu {
    private final Path tasks;
    private final Map<String, Long> seenNs = new HashMap<>();
    private long totalNs;

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

    private void readThread(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("schedstat"));
            long runNs = Long.parseLong(stat.substring(0, stat.indexOf(' ')));
            Long before = seenNs.put(thread.getFileName().toString(), runNs);
            // The kernel may have reused the thread id.
            totalNs += before == null || before > runNs ? runNs : runNs - before;
        } catch (IOException e) {
            // The thread has ended.
        }
    }
}
