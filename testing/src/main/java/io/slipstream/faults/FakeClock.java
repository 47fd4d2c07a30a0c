// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.process.TempDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;

/**
 * The wall clock of one process, shifted by a small preloaded library ({@code wall-clock.c}, compiled on demand).
 * Monotonic clocks and waits are unaffected. With libfaketime 0.9.10 instead, a stock broker takes more than half a
 * minute to start.
 */
final class FakeClock {
    private final Path library;
    private final Path offset;

    /** @param directory existing directory for the library and the offset file, which the process maps */
    FakeClock(Path directory) {
        library = compile(directory);
        offset = directory.resolve("wall-clock.offset");
        jump(0);
    }

    static Optional<String> obstacle() {
        try (TempDirectory directory = TempDirectory.create("ss-clk")) {
            compile(directory.path());
            return Optional.empty();
        } catch (FaultFailure e) {
            return Optional.of("no C compiler for the clock library; apt-get install gcc libc6-dev ("
                    + e.getMessage() + ")");
        }
    }

    private static Path compile(Path directory) {
        Path source = directory.resolve("wall-clock.c");
        Path library = directory.resolve("wall-clock.so");
        try (InputStream text = FakeClock.class.getResourceAsStream("/wall-clock.c")) {
            Files.write(source, text.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + source, e);
        }
        Command.require(
                "cc",
                "-shared",
                "-fPIC",
                "-O2",
                "-Wall",
                "-Werror",
                "-o",
                library.toString(),
                source.toString(),
                "-ldl");
        return library;
    }

    /** Returns the environment variables of the process. */
    List<String> environment() {
        return List.of("LD_PRELOAD=" + library, "WALL_CLOCK_OFFSET=" + offset);
    }

    /** Sets the clock this many seconds ahead of the machine's clock; negative for behind. */
    void jump(long seconds) {
        ByteBuffer word = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        word.putLong(seconds).flip();
        // Writes in place because the process maps this file.
        try (FileChannel file = FileChannel.open(offset, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            file.write(word, 0);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + offset, e);
        }
    }
}
