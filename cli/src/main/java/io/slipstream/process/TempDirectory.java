// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * A directory with owner-only permissions, deleted with its contents on close or at the end of this JVM. It lies
 * directly below the system's temporary directory because the path of a Unix domain socket has at most 107 bytes.
 */
public final class TempDirectory implements AutoCloseable {
    private final Path path;

    private TempDirectory(Path path) {
        this.path = path;
    }

    public static TempDirectory create(String prefix) {
        try {
            Path path = Files.createTempDirectory(prefix);
            OrphanGuard.instance().add(path);
            return new TempDirectory(path);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot create a temporary directory", e);
        }
    }

    public Path path() {
        return path;
    }

    /** Returns a directory inside this one and creates it if needed. */
    public Path directory(String name) {
        try {
            return Files.createDirectories(path.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot create " + path.resolve(name), e);
        }
    }

    @Override
    public void close() {
        delete(path);
        OrphanGuard.instance().remove(path);
    }

    /** Deletes a directory with its contents, if it exists. */
    public static void delete(Path path) {
        try {
            if (Files.exists(path)) {
                Files.walkFileTree(path, new Deletion());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + path, e);
        }
    }

    /** Tolerates vanished files: an exiting process also deletes files. */
    private static final class Deletion extends SimpleFileVisitor<Path> {
        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
            if (failure instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw failure;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, IOException failure) throws IOException {
            Files.deleteIfExists(directory);
            return FileVisitResult.CONTINUE;
        }
    }
}
