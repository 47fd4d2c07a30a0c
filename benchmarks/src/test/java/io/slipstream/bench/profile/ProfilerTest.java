// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.process.ChildProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.TempDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Profiles another JVM in which one thread works and one sleeps. */
@Timeout(120)
class ProfilerTest {
    private static final long NO_PROCESS = Integer.MAX_VALUE;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void shouldWriteWhatTheThreadsOfAnotherJvmDid() throws Exception {
        try (TempDirectory temporary = TempDirectory.create("ss-pr");
                Profiler profiler = Profiler.unpack()) {
            Path directory = temporary.path();
            ChildProcess worker = ChildProcess.start("worker", command(directory), directory, directory.resolve("log"));
            try {
                await(directory.resolve("ready"));
                ProfileDirectory profiles = new ProfileDirectory(directory.resolve("profiles"));
                try (Profiler.Recording recording = profiler.start(worker.pid())) {
                    assertThatThrownBy(() -> profiler.start(worker.pid()))
                            .isInstanceOf(IOException.class)
                            .hasMessageContaining("Profiler already started");
                    Files.createFile(directory.resolve("go"));
                    await(directory.resolve("done"));
                    profiles.add(recording, List.of("a", "B"), "worker, a=1", 1, "op", profiler.event());
                }

                assertThat(Files.readAllLines(directory.resolve("profiles/a-b.txt")))
                        .anyMatch(line -> line.startsWith("[works-1 tid=") && line.contains("$Worker.work"))
                        .noneMatch(line -> line.contains("$Worker.sleepAll"));
                assertThat(directory.resolve("profiles/a-b.html"))
                        .content()
                        .contains("worker; a=1")
                        .contains("works-1");
                assertThat(directory.resolve("profiles/summary.md")).content().contains("## worker, a=1", "us/op");
                // It has ended, so it can start again.
                profiler.start(worker.pid()).close();
            } finally {
                worker.kill9();
            }
        }
    }

    @Test
    void shouldSayWhyAProcessCannotBeProfiled() throws Exception {
        try (Profiler profiler = Profiler.unpack()) {
            assertThatThrownBy(() -> profiler.start(NO_PROCESS))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(Long.toString(NO_PROCESS));
        }
    }

    private static List<String> command(Path directory) {
        return List.of(
                ChildProcess.java(),
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Worker.class.getName(),
                directory.toString());
    }

    private static void await(Path file) {
        assertThat(Deadline.after(PATIENCE).await(() -> Files.exists(file)))
                .as(file.toString())
                .isTrue();
    }

    /**
     * Reports ready, waits for go, uses 200 ms of CPU time, reports done, and stays until it is killed, or a minute.
     */
    static final class Worker {
        private static final long WORK_NS = 200_000_000;

        @SuppressWarnings("unused")
        private static volatile long sink;

        private Worker() {}

        public static void main(String[] arguments) throws Exception {
            Path directory = Path.of(arguments[0]);
            Thread works = new Thread(() -> work(directory), "works-1");
            Thread sleeps = new Thread(Worker::sleepAll, "sleeps-1");
            works.setDaemon(true);
            sleeps.start();
            works.start();
            Files.createFile(directory.resolve("ready"));
        }

        private static void sleepAll() {
            try {
                Thread.sleep(60_000);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        private static void work(Path directory) {
            try {
                for (int waits = 0; waits < 6_000 && !Files.exists(directory.resolve("go")); waits++) {
                    Thread.sleep(10);
                }
                var threads = java.lang.management.ManagementFactory.getThreadMXBean();
                long startNs = threads.getCurrentThreadCpuTime();
                while (threads.getCurrentThreadCpuTime() - startNs < WORK_NS) {
                    sink++;
                }
                Files.createFile(directory.resolve("done"));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
