// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.process.OrphanGuard;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A file system of its own on a loop device. While it is frozen, each write hangs, as on a disk that does not answer.
 */
public final class FreezableDisk implements AutoCloseable {
    private final Path image;
    private final Path mountPoint;

    private FreezableDisk(Path image, Path mountPoint) {
        this.image = image;
        this.mountPoint = mountPoint;
    }

    /** Mounts an ext4 file system of this many mebibytes on a directory, which it creates if needed. */
    public static FreezableDisk mount(Path mountPoint, int sizeMib) {
        Path image = mountPoint.resolveSibling(mountPoint.getFileName() + ".img");
        try {
            Files.createDirectories(mountPoint);
            try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
                file.setLength((long) sizeMib << 20);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot create " + image, e);
        }
        Command.require("mkfs.ext4", "-q", "-F", image.toString());
        // Registers before mounting, so that a kill in between leaves no mount.
        OrphanGuard.instance().addMount(mountPoint);
        Command.require("mount", "-o", "loop", image.toString(), mountPoint.toString());
        return new FreezableDisk(image, mountPoint);
    }

    /** Returns why freezing is impossible; empty if it is possible. */
    public static Optional<String> obstacle(Path directory) {
        try (FreezableDisk disk = mount(directory.resolve("freeze-probe"), 8)) {
            disk.freeze(0).waitFor();
            return Optional.empty();
        } catch (FaultFailure | IOException e) {
            return Optional.of("freezing a file system is not allowed: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of("interrupted");
        }
    }

    /**
     * Freezes the disk for some seconds. The returned process ends the freeze by itself, even if this JVM is killed: a
     * process that waits for a frozen disk cannot be killed.
     */
    public Process freeze(int seconds) throws IOException {
        Command.require("fsfreeze", "-f", mountPoint.toString());
        return new ProcessBuilder("sh", "-c", "sleep " + seconds + "; fsfreeze -u '" + mountPoint + "'").start();
    }

    @Override
    public void close() {
        Command.require("umount", "-l", mountPoint.toString());
        OrphanGuard.instance().removeMount(mountPoint);
        try {
            Files.deleteIfExists(image);
        } catch (IOException e) {
            throw new FaultFailure("cannot delete " + image, e);
        }
    }
}
