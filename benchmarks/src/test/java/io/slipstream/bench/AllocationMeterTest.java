// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.process.ChildProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.TempDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Meters another JVM that allocates a known amount in one thread and as much in another. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class AllocationMeterTest {
    private static final int ARRAYS = 1_000;
    private static final int ARRAY_BYTES = 10_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void shouldCountTheNamedThreadsOnly() throws Exception {
        try (TempDirectory directory = TempDirectory.create("ss-am");
                Started allocator = Started.in(directory.path());
                AllocationMeter meter = AllocationMeter.attach(allocator.pid(), Pattern.compile("counted-.*"))) {
            long before = meter.readBytes();
            Files.createFile(directory.path().resolve("go"));
            await(directory.path().resolve("done"));

            assertThat(meter.readBytes() - before)
                    .isBetween((long) ARRAYS * ARRAY_BYTES, (long) (1.5 * ARRAYS * ARRAY_BYTES));
        }
    }

    @Test
    void shouldRefuseNamesThatNoThreadHas() throws Exception {
        try (TempDirectory directory = TempDirectory.create("ss-am");
                Started allocator = Started.in(directory.path());
                AllocationMeter meter = AllocationMeter.attach(allocator.pid(), Pattern.compile("nobody"))) {
            assertThatThrownBy(meter::readBytes)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("nobody");
        }
    }

    private static void await(Path file) {
        assertThat(Deadline.after(PATIENCE).await(() -> Files.exists(file)))
                .as(file.toString())
                .isTrue();
    }

    /** {@link Allocator} in its own JVM, both threads running. */
    private record Started(ChildProcess process) implements AutoCloseable {
        static Started in(Path directory) {
            List<String> command = List.of(
                    ChildProcess.java(),
                    "-XX:+UseSerialGC",
                    "-cp",
                    System.getProperty("java.class.path"),
                    Allocator.class.getName(),
                    directory.toString());
            ChildProcess process = ChildProcess.start("allocator", command, directory, directory.resolve("log"));
            await(directory.resolve("ready"));
            return new Started(process);
        }

        long pid() {
            return process.pid();
        }

        @Override
        public void close() {
            process.kill9();
        }
    }

    /** Reports ready, waits for go, allocates, reports done, and stays until it is killed, or a minute. */
    static final class Allocator {
        @SuppressWarnings("unused")
        private static volatile byte[] sink;

        private Allocator() {}

        public static void main(String[] arguments) throws Exception {
            Path directory = Path.of(arguments[0]);
            Thread counted = new Thread(() -> allocateOnce(directory, directory.resolve("done")), "counted-1");
            Thread other = new Thread(() -> allocateOnce(directory, directory.resolve("other")), "other-1");
            other.start();
            counted.start();
            Files.createFile(directory.resolve("ready"));
            counted.join(TimeUnit.MINUTES.toMillis(2));
        }

        private static void allocateOnce(Path directory, Path done) {
            try {
                for (int waits = 0; waits < 6_000 && !Files.exists(directory.resolve("go")); waits++) {
                    Thread.sleep(10);
                }
                for (int i = 0; i < ARRAYS; i++) {
                    sink = new byte[ARRAY_BYTES];
                }
                Files.createFile(done);
                Thread.sleep(TimeUnit.MINUTES.toMillis(1));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
