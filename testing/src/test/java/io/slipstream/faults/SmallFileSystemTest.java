// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.slipstream.it.Tool;
import io.slipstream.process.ChildProcess;
import io.slipstream.process.Deadline;
import io.slipstream.process.Patience;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SmallFileSystemTest {
    @TempDir
    private Path directory;

    @BeforeEach
    void requireMounts() {
        SmallFileSystem.obstacle(directory).ifPresent(Tool::unavailable);
    }

    @Test
    void shouldTakeTheLastByteAndGiveItBack() throws IOException {
        Path mountPoint = directory.resolve("small");
        try (SmallFileSystem disk = SmallFileSystem.mount(mountPoint, 1)) {
            disk.fill();
            assertThatThrownBy(() -> Files.write(mountPoint.resolve("one-more"), new byte[1]))
                    .isInstanceOf(IOException.class);
            disk.free();
            Files.write(mountPoint.resolve("one-more"), new byte[1]);
        }
        assertThat(mountPoint).isEmptyDirectory();
        assertThat(isMounted(mountPoint)).isFalse();
    }

    @Test
    void shouldBeGoneWhenItsProcessWasKilled() {
        Path mountPoint = directory.resolve("orphan");
        List<String> command = List.of(
                ChildProcess.java(),
                "-cp",
                System.getProperty("java.class.path"),
                Mounting.class.getName(),
                mountPoint.toString());
        ChildProcess child = ChildProcess.start("mounting", command, directory, directory.resolve("mounting.log"));
        assertThat(Deadline.after(Patience.ofSeconds(20)).await(() -> isMounted(mountPoint)))
                .as("mounted")
                .isTrue();

        child.kill9();

        assertThat(Deadline.after(Patience.ofSeconds(20)).await(() -> !isMounted(mountPoint)))
                .as("freed")
                .isTrue();
    }

    private static boolean isMounted(Path mountPoint) {
        try {
            return Files.readString(Path.of("/proc/self/mounts")).contains(" " + mountPoint + " ");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Mounts, and waits to be killed. */
    static final class Mounting {
        public static void main(String[] arguments) throws IOException {
            SmallFileSystem.mount(Path.of(arguments[0]), 1);
            // Ends at the latest with the test, which owns the pipe.
            System.in.read();
        }
    }
}
