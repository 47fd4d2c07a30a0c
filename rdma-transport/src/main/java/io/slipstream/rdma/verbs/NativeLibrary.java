// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds, unpacks and loads {@code libdisni.so} once, on first use. If it is absent or cannot be loaded, only the verbs
 * provider is unavailable.
 *
 * <p>The library is a resource of this class's jar, {@code native/linux-ARCHITECTURE/libdisni.so}. It is unpacked to a
 * new directory with mode 0700 and deleted once the JVM has mapped it. The parent directory is the temporary directory,
 * or the one that the system property {@value #DIRECTORY_PROPERTY} names. A library that already exists in that
 * directory is loaded instead of the one in the jar.
 */
public final class NativeLibrary {
    public static final String DIRECTORY_PROPERTY = "slipstream.native.dir";

    static final String FILE = "libdisni.so";
    private static final String REMEDY = "it was built without a C compiler or without the RDMA headers; install gcc"
            + " libibverbs-dev librdmacm-dev and build again";
    private static final Pattern MISSING =
            Pattern.compile("(lib(?:ibverbs|rdmacm)\\.so\\S*): cannot open shared object");

    private static final Logger log = LoggerFactory.getLogger(NativeLibrary.class);

    private NativeLibrary() {}

    /** Empty if the natives can be called, else the reason and the remedy, for the operator. */
    public static Optional<String> unavailableReason() {
        return Optional.ofNullable(Loaded.REASON);
    }

    /** Throws an IllegalStateException with {@link #unavailableReason} if the natives cannot be called. */
    public static NativeVerbs natives() {
        if (Loaded.NATIVES == null) {
            throw new IllegalStateException(Loaded.REASON);
        }
        return Loaded.NATIVES;
    }

    /** Initialised on first use, under the JVM's lock for class initialisation. */
    private static final class Loaded {
        static final NativeVerbs NATIVES;
        static final String REASON;

        static {
            NativeVerbs natives = null;
            String reason = null;
            String directory = System.getProperty(DIRECTORY_PROPERTY);
            try {
                natives = directory != null && Files.isRegularFile(Path.of(directory, FILE))
                        ? load(Path.of(directory, FILE).toAbsolutePath())
                        : loadFromJar(Path.of(directory != null ? directory : System.getProperty("java.io.tmpdir")));
            } catch (IOException e) {
                reason = e.getMessage();
            }
            NATIVES = natives;
            REASON = reason;
        }
    }

    private static NativeVerbs loadFromJar(Path parent) throws IOException {
        String system = System.getProperty("os.name");
        if (!system.equals("Linux")) {
            throw new IOException(FILE + " needs Linux, this is " + system);
        }
        String resource = "/native/linux-" + architecture(System.getProperty("os.arch")) + "/" + FILE;
        try (InputStream library = NativeLibrary.class.getResourceAsStream(resource)) {
            if (library == null) {
                throw new IOException("this build has no native library (" + resource + "): " + REMEDY);
            }
            Path directory = newDirectory(parent);
            Path file = directory.resolve(FILE);
            try {
                copy(library, file);
                return load(file);
            } finally {
                Files.deleteIfExists(file);
                Files.delete(directory);
            }
        }
    }

    /** Created with mode 0700, so that no other user can replace the file before it is loaded. */
    private static Path newDirectory(Path parent) throws IOException {
        try {
            return Files.createTempDirectory(parent.toAbsolutePath(), "slipstream-native");
        } catch (IOException e) {
            throw new IOException(
                    "cannot unpack the native library to " + parent + " (" + e + "); name a writable directory with -D"
                            + DIRECTORY_PROPERTY + "=DIRECTORY",
                    e);
        }
    }

    private static void copy(InputStream library, Path file) throws IOException {
        try {
            Files.copy(library, file);
        } catch (IOException e) {
            throw new IOException("cannot unpack the native library to " + file + ": " + e, e);
        }
    }

    /** The kernel's name of the architecture that Java calls {@code amd64}. */
    static String architecture(String javaName) {
        String name = javaName.toLowerCase(Locale.ROOT);
        return name.equals("amd64") ? "x86_64" : name;
    }

    private static NativeVerbs load(Path library) throws IOException {
        try {
            NativeVerbs natives = NativeClassLoader.instantiate(library);
            log.debug("Native library loaded from {}", library);
            return natives;
        } catch (LinkageError | ReflectiveOperationException e) {
            throw new IOException(reason(library, e), e);
        }
    }

    /** Explains why an existing library cannot be loaded, from the message of the dynamic linker. */
    static String reason(Path library, Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        Matcher missing = MISSING.matcher(message);
        if (missing.find()) {
            return missing.group(1) + " is not installed on this host; apt-get install rdma-core libibverbs1 librdmacm1"
                    + " ibverbs-providers (or your distribution's rdma-core)";
        }
        if (message.contains("failed to map segment") || message.contains("Operation not permitted")) {
            return "libraries cannot be executed from " + library.getParent() + " (mounted noexec?): " + message
                    + "; name another directory with -D" + DIRECTORY_PROPERTY + "=DIRECTORY";
        }
        return "the native library " + library + " cannot be loaded: " + failure;
    }
}
