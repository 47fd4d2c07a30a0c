// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.process.OrphanGuard;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A tmpfs of limited size, to be filled up and freed. */
final class SmallFileSystem implements AutoCloseable {
    private static final int CHUNK_BYTES = 1 << 20;
    private static final String BALLAST = "ballast";

    private final Path mountPoint;

    private SmallFileSystem(Path mountPoint) {
        this.mountPoint = mountPoint;
    }

    /** Mounts one of that many mebibytes on a directory, which is made if need be. */
    static SmallFileSystem mount(Path mountPoint, int sizeMib) {
        try {
            Files.createDirectories(mountPoint);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot create " + mountPoint, e);
        }
        // Before it is there, or whoever kills us in between leaves it behind.
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

    /** Why nothing can be mounted here; empty if it can. */
    static Optional<String> obstacle(Path directory) {
        try {
            mount(directory.resolve("mount-probe"), 1).close();
            return Optional.empty();
        } catch (FaultFailure e) {
            return Optional.of("mounting a tmpfs is not allowed: " + e.getMessage());
        }
    }

    /** Takes all room that is left. */
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
