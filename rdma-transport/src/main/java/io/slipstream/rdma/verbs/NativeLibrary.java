// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.library.LibraryFile;
import java.io.IOException;
import java.nio.file.Path;
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
    public static final String DIRECTORY_PROPERTY = LibraryFile.DIRECTORY_PROPERTY;

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
            try (LibraryFile file = LibraryFile.find(FILE, REMEDY)) {
                natives = load(file.path);
                log.debug("Native library loaded from {}", file.path);
            } catch (IOException e) {
                reason = e.getMessage();
            }
            NATIVES = natives;
            REASON = reason;
        }
    }

    private static NativeVerbs load(Path library) throws IOException {
        try {
            return NativeClassLoader.instantiate(library);
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
