// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.FileDescriptor;
import io.slipstream.rdma.library.LibraryFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Seals on the size of shared memory. Access to a mapping beyond the end of its file raises a signal that may end the
 * process. So this process seals the memory that it shares, and maps a peer's memory only if that is sealed as well.
 * The kernel offers seals for memory files (memfd_create(2)) and reports those of a file that a peer passed.
 */
final class Seals {
    /** For builds and kernels without seals. Truncation is then noticed within a second, which may be too late. */
    static final Seals NONE = new Seals(false);

    private static final String LIBRARY = "libslipstreamshm.so";
    private static final Logger log = LoggerFactory.getLogger(Seals.class);

    /** From {@code linux/fcntl.h}. */
    private static final int SEAL = 0x1;

    private static final int SHRINK = 0x2;
    private static final int GROW = 0x4;
    /** Since Linux 5.1. Existing writable mappings stay writable; no new ones can be created. */
    private static final int FUTURE_WRITE = 0x10;

    private final boolean supported;

    private Seals(boolean supported) {
        this.supported = supported;
    }

    /** The support of this machine and build. */
    static Seals ofThisMachine() {
        return Loaded.SEALS;
    }

    private static final class Loaded {
        static final Seals SEALS = load();

        private static Seals load() {
            try (LibraryFile file = LibraryFile.find(LIBRARY, "it was built without a C compiler")) {
                // The natives that close descriptors must be loaded first.
                Epoll.ensureAvailability();
                System.load(file.path().toString());
                Seals seals = new Seals(true);
                try (RandomAccessFile probe = seals.create()) {
                    seals.seal(probe, true);
                }
                return seals;
            } catch (IOException | UnsatisfiedLinkError e) {
                log.warn(
                        "Shared memory cannot be sealed: a peer can truncate it, which may end this process: {}",
                        e.getMessage());
                return NONE;
            }
        }
    }

    boolean areSupported() {
        return supported;
    }

    /** Creates an empty memory file. */
    RandomAccessFile create() throws IOException {
        int descriptor = checked("memfd_create", SealedFiles.create());
        try {
            return Descriptors.reopen(descriptor, "rw");
        } finally {
            new FileDescriptor(descriptor).close();
        }
    }

    /**
     * Fixes the file's size for good.
     *
     * @param readOnly whether to prevent writing as well, except through existing mappings
     */
    void seal(RandomAccessFile file, boolean readOnly) throws IOException {
        int descriptor = Descriptors.numberOf(file);
        if (readOnly) {
            // Older kernels refuse this seal. Peers then still get a descriptor for reading only.
            SealedFiles.addSeals(descriptor, FUTURE_WRITE);
        }
        checked("F_ADD_SEALS", SealedFiles.addSeals(descriptor, SHRINK | GROW | SEAL));
    }

    /** Throws an IOException if the peer that passed the file could truncate it. */
    void requireSealed(RandomAccessFile file) throws IOException {
        if (supported) {
            // Files that cannot be sealed return an error here.
            int seals = SealedFiles.seals(Descriptors.numberOf(file));
            if (seals < 0 || (seals & SHRINK) == 0) {
                throw new IOException(
                        "it is not sealed, so the peer could truncate it (does the peer lack " + LIBRARY + "?)");
            }
        }
    }

    private static int checked(String function, int result) throws IOException {
        if (result < 0) {
            throw new IOException(function + " failed with errno " + -result);
        }
        return result;
    }
}
