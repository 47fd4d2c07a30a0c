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
 * A directory of its owner only, deleted with all it holds on close, or when this JVM is gone. It lies directly below the system's temporary directory, because
 * the paths of Unix domain sockets within it may have at most 107 bytes.
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

    /** Creates (if need be) and returns a directory within. */
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

    /** A directory with all it holds, if it is there. */
    public static void delete(Path path) {
        try {
            if (Files.exists(path)) {
                Files.walkFileTree(path, new Deletion());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + path, e);
        }
    }

    /** Files may vanish meanwhile: a dying process cleans up as well. */
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
