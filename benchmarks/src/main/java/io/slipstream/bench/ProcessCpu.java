// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Processor time of one process, in nanoseconds: the sum of what {@code /proc/PID/task/TID/schedstat} tells of each thread. ({@code /proc/PID/stat} counts in steps of 10 ms, which is more
 * than a broker that nobody asks anything uses in a second.) A thread that ends between two readings takes with it what it used since the first of them. Not for several threads at once.
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

    /** User and system time so far, of threads that lived at a reading; grows from reading to reading. 0 where the kernel does not tell. */
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
            // A number may be another thread's by now.
            totalNs += before == null || before > runNs ? runNs : runNs - before;
        } catch (IOException e) {
            // It has ended meanwhile.
        }
    }
}
