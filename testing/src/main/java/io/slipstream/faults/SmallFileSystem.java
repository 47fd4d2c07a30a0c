// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.process.OrphanGuard;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A tmpfs of limited size, to fill and to free. */
final class SmallFileSystem implements AutoCloseable {
    private static final int CHUNK_BYTES = 1 << 20;
    private static final String BALLAST = "ballast";

    private final Path mountPoint;

    private SmallFileSystem(Path mountPoint) {
        this.mountPoint = mountPoint;
    }

    /** Mounts a file system of this many mebibytes on a directory, which it creates if needed. */
    static SmallFileSystem mount(Path mountPoint, int sizeMib) {
        try {
            Files.createDirectories(mountPoint);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot create " + mountPoint, e);
        }
        // Registers before mounting, so that a kill in between leaves no mount.
        OrphanGuard.instance().addMount(mountPoint);
        Command.require(
                "mount",
                "-t",
                "tmpfs",
                "-o",
                "size=" + sizeMib + "m,mode=0700",
                "slipstream-faults",
                mountPoint.toString());
        return new SmallFileSystem(mountPoint);
    }

    /** Returns why mounting is impossible; empty if it is possible. */
    static Optional<String> obstacle(Path directory) {
        try {
            mount(directory.resolve("mount-probe"), 1).close();
            return Optional.empty();
        } catch (FaultFailure e) {
            return Optional.of("mounting a tmpfs is not allowed: " + e.getMessage());
        }
    }

    /** Fills the remaining space. */
    void fill() {
        try (RandomAccessFile ballast = new RandomAccessFile(ballast().toFile(), "rw")) {
            ballast.seek(ballast.length());
            byte[] chunk = new byte[CHUNK_BYTES];
            for (int length = chunk.length; length > 0; ) {
                try {
                    while (true) {
                        ballast.write(chunk, 0, length);
                    }
                } catch (IOException full) {
                    length /= 2;
                }
            }
        } catch (IOException e) {
            throw new FaultFailure("cannot fill " + mountPoint, e);
        }
    }

    void free() {
        try {
            Files.deleteIfExists(ballast());
        } catch (IOException e) {
            throw new FaultFailure("cannot free " + mountPoint, e);
        }
    }

    private Path ballast() {
        return mountPoint.resolve(BALLAST);
    }

    @Override
    public void close() {
        Command.require("umount", "-l", mountPoint.toString());
        OrphanGuard.instance().removeMount(mountPoint);
    }
}
