// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import io.slipstream.faults.Signals;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Stops a proxy in the middle of a READ, which with {@code shm} is a pread(2) of a segment. */
final class InsideRead {
    /** The number of pread(2) on x86-64 and on AArch64. */
    private static final Set<String> PREAD = Set.of("17", "67");

    private InsideRead() {}

    /** Stops and resumes the process until one of its threads is stopped on its way out of a pread of such a file. */
    static void stop(long pid, Path logs) {
        boolean inside = Deadline.after(Patience.ofSeconds(60)).await(() -> {
            Signals.stop(pid);
            if (Deadline.after(Patience.ofSeconds(5)).await(() -> isStopped(pid))
                    && tasks(pid).stream().anyMatch(task -> reads(pid, task, logs))) {
                return true;
            }
            Signals.resume(pid);
            return false;
        });
        assertThat(inside).as("stopped inside a READ").isTrue();
    }

    private static boolean isStopped(long pid) {
        return tasks(pid).stream().allMatch(task -> {
            String stat = content(task.resolve("stat"));
            // PID (NAME) STATE: the name may contain spaces.
            return stat.isEmpty() || stat.startsWith("T", stat.lastIndexOf(')') + 2);
        });
    }

    private static boolean reads(long pid, Path task, Path logs) {
        String[] call = content(task.resolve("syscall")).split(" ");
        if (!PREAD.contains(call[0])) {
            return false;
        }
        Path descriptor = Path.of("/proc", Long.toString(pid), "fd", Long.toString(Long.decode(call[1])));
        try {
            Path file = Files.readSymbolicLink(descriptor);
            return file.startsWith(logs) && file.toString().endsWith(".log");
        } catch (IOException e) {
            return false;
        }
    }

    private static List<Path> tasks(long pid) {
        try (Stream<Path> tasks = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            return tasks.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns nothing if the thread has ended. */
    private static String content(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException ended) {
            return "";
        }
    }
}
