// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.library;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The file that a native library is loaded from. Closing deletes it if it was unpacked; the JVM keeps its mapping. */
public final class LibraryFile implements AutoCloseable {
    /**
     * System property that names the directory to unpack to. A library that already exists there is loaded instead of
     * the one in the jar.
     */
    public static final String DIRECTORY_PROPERTY = "slipstream.native.dir";

    public final Path path;
    private final boolean unpacked;

    private LibraryFile(Path path, boolean unpacked) {
        this.path = path;
        this.unpacked = unpacked;
    }

    /**
     * Throws an IOException for the operator if there is no such library.
     *
     * @param name name of the file, a resource of this class's jar in {@code native/linux-ARCHITECTURE}
     * @param remedy what to do if the build has no such resource
     */
    public static LibraryFile find(String name, String remedy) throws IOException {
        String directory = System.getProperty(DIRECTORY_PROPERTY);
        if (directory != null && Files.isRegularFile(Path.of(directory, name))) {
            return new LibraryFile(Path.of(directory, name).toAbsolutePath(), false);
        }
        String system = System.getProperty("os.name");
        if (!system.equals("Linux")) {
            throw new IOException(name + " needs Linux, this is " + system);
        }
        String resource = "/native/linux-" + architecture(System.getProperty("os.arch")) + "/" + name;
        Path parent = Path.of(directory != null ? directory : System.getProperty("java.io.tmpdir"));
        try (InputStream library = LibraryFile.class.getResourceAsStream(resource)) {
            if (library == null) {
                throw new IOException("this build has no native library (" + resource + "): " + remedy);
            }
            return unpack(library, parent, name);
        }
    }

    @Override
    public void close() throws IOException {
        if (unpacked) {
            Files.delete(path);
            Files.delete(path.getParent());
        }
    }

    private static LibraryFile unpack(InputStream library, Path parent, String name) throws IOException {
        Path directory;
        try {
            // Created with mode 0700, so that no other user can replace the file before it is loaded.
            directory = Files.createTempDirectory(parent.toAbsolutePath(), "slipstream-native");
        } catch (IOException e) {
            throw new IOException(
                    "cannot unpack the native library to " + parent + " (" + e + "); name a writable directory with -D"
                            + DIRECTORY_PROPERTY + "=DIRECTORY",
                    e);
        }
        Path file = directory.resolve(name);
        try {
            Files.copy(library, file);
        } catch (IOException e) {
            Files.deleteIfExists(file);
            Files.delete(directory);
            throw new IOException("cannot unpack the native library to " + file + ": " + e, e);
        }
        return new LibraryFile(file, true);
    }

    /** The kernel's name of the architecture that Java calls {@code amd64}. */
    public static String architecture(String javaName) {
        String name = javaName.toLowerCase(Locale.ROOT);
        return name.equals("amd64") ? "x86_64" : name;
    }
}
