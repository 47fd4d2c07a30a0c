// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import io.slipstream.rdma.library.LibraryFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds, unpacks and loads {@code libdisni.so} once, on first use; absent or unloadable, it says why and everything else works.
 *
 * <p>The library is a resource of this class's jar, {@code native/linux-ARCHITECTURE/libdisni.so}. It is unpacked to a new directory with
 * mode 0700, in the temporary directory or in the one that the system property {@value #DIRECTORY_PROPERTY} names, and deleted once the JVM
 * has mapped it. A library that lies in that directory already is loaded instead of ours.
 */
public final class NativeLibrary {
    public static final String DIRECTORY_PROPERTY = LibraryFile.DIRECTORY_PROPERTY;

    static final String FILE = "libdisni.so";
    private static final String REMEDY = "it was built without a C compiler or without the RDMA headers; install gcc"
            + " libibverbs-dev librdmacm-dev and build again";

    private static final Logger log = LoggerFactory.getLogger(NativeLibrary.class);

    private NativeLibrary() {}

    /** Empty if the natives can be called, else why not and what to do, in words for an operator. */
    public static Optional<String> unavailableReason() {
        return Optional.ofNullable(Loaded.REASON);
    }

    /** Throws IllegalStateException with {@link #unavailableReason}. */
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
                natives = load(file.path());
                log.debug("Native library loaded from {}", file.path());
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
            throw new IOException(LoadFailure.reason(library, e), e);
        }
    }
}
