package io.slipstream.rdma.verbs;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The file that the native library is loaded from; closing deletes it if it was unpacked (what the JVM has mapped stays mapped). */
final class LibraryFile implements AutoCloseable {
    static final String NAME = "libdisni.so";

    private final Path path;
    private final boolean unpacked;

    private LibraryFile(Path path, boolean unpacked) {
        this.path = path;
        this.unpacked = unpacked;
    }

    /** Fails with words for an operator. */
    static LibraryFile find() throws IOException {
        String directory = System.getProperty(NativeLibrary.DIRECTORY_PROPERTY);
        if (directory != null && Files.isRegularFile(Path.of(directory, NAME))) {
            return new LibraryFile(Path.of(directory, NAME).toAbsolutePath(), false);
        }
        String system = System.getProperty("os.name");
        if (!system.equals("Linux")) {
            throw new IOException("RDMA verbs need Linux, this is " + system);
        }
        String resource = "/native/linux-" + architecture(System.getProperty("os.arch")) + "/" + NAME;
        Path parent = Path.of(directory != null ? directory : System.getProperty("java.io.tmpdir"));
        try (InputStream library = LibraryFile.class.getResourceAsStream(resource)) {
            if (library == null) {
                throw new IOException("this build has no native library (" + resource
                        + "): it was built without a C compiler or without the RDMA headers; install gcc libibverbs-dev"
                        + " librdmacm-dev and build again");
            }
            return unpack(library, parent);
        }
    }

    Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        if (unpacked) {
            Files.delete(path);
            Files.delete(path.getParent());
        }
    }

    private static LibraryFile unpack(InputStream library, Path parent) throws IOException {
        Path directory;
        try {
            // Made with mode 0700: nobody else can exchange the file before it is loaded.
            directory = Files.createTempDirectory(parent.toAbsolutePath(), "slipstream-native");
        } catch (IOException e) {
            throw new IOException(
                    "cannot unpack the native library to " + parent + " (" + e + "); name a writable directory with -D"
                            + NativeLibrary.DIRECTORY_PROPERTY + "=DIRECTORY",
                    e);
        }
        Path file = directory.resolve(NAME);
        try {
            Files.copy(library, file);
        } catch (IOException e) {
            Files.deleteIfExists(file);
            Files.delete(directory);
            throw new IOException("cannot unpack the native library to " + file + ": " + e, e);
        }
        return new LibraryFile(file, true);
    }

    /** As the kernel calls what Java calls {@code amd64}. */
    static String architecture(String javaName) {
        String name = javaName.toLowerCase(Locale.ROOT);
        return name.equals("amd64") ? "x86_64" : name;
    }
}
