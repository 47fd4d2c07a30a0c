package io.slipstream.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The wall clock of one process, which libfaketime takes from a file; its monotonic clock is left alone. */
final class FakeClock {
    private static final List<Path> LIBRARIES = List.of(
            Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"),
            Path.of("/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1"),
            Path.of("/usr/lib64/faketime/libfaketimeMT.so.1"));

    private final Path file;

    /** @param file read by the process whenever it asks for the time */
    FakeClock(Path file) {
        this.file = file;
        jump(0);
    }

    static Optional<String> obstacle() {
        return library().isPresent()
                ? Optional.empty()
                : Optional.of("libfaketime is missing; apt-get install libfaketime");
    }

    private static Optional<Path> library() {
        return LIBRARIES.stream().filter(Files::isReadable).findFirst();
    }

    /** What the process must find in its environment. */
    List<String> environment() {
        return List.of(
                "LD_PRELOAD=" + library().orElseThrow(),
                "FAKETIME_TIMESTAMP_FILE=" + file,
                "FAKETIME_CACHE_DURATION=1",
                "FAKETIME_DONT_FAKE_MONOTONIC=1");
    }

    /** From now on the clock is so many seconds ahead of (or, if negative, behind) the machine's. */
    void jump(long seconds) {
        try {
            Files.writeString(file, (seconds < 0 ? "" : "+") + seconds + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }
}
