// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.FileDescriptor;
import io.slipstream.rdma.library.LibraryFile;
import java.io.IOException;
import java.io.RandomAccessFile;

/**
 * Seals on the size of shared memory. Access to a mapping beyond the end of its file raises a signal that may end the
 * process. So this process seals the memory that it shares, and maps a peer's memory only if that is sealed as well.
 * The kernel offers seals for memory files (memfd_create(2)) and reports those of a file that a peer passed. Without
 * them the provider is unavailable.
 */
final class Seals {
    private static final String LIBRARY = "libslipstreamshm.so";

    /** From {@code linux/fcntl.h}. */
    private static final int SEAL = 0x1;

    private static final int SHRINK = 0x2;
    private static final int GROW = 0x4;
    /** Since Linux 5.1. Existing writable mappings stay writable; no new ones can be created. */
    private static final int FUTURE_WRITE = 0x10;

    private Seals() {}

    /** Null if memory can be sealed here, else the reason for the operator. */
    static String unavailableReason() {
        return Loaded.FAILURE;
    }

    private static final class Loaded {
        static final String FAILURE = load();

        private static String load() {
            try (LibraryFile file = LibraryFile.find(
                    LIBRARY, "build it where there is a C compiler, and without SLIPSTREAM_WITHOUT_SHM")) {
                // The natives that close descriptors must be loaded first.
                Epoll.ensureAvailability();
                System.load(file.path().toString());
                try (RandomAccessFile probe = memoryFile()) {
                    seal(probe, true);
                }
                return null;
            } catch (IOException | UnsatisfiedLinkError e) {
                return "shared memory cannot be sealed, so a peer could end this process: " + e.getMessage();
            }
        }
    }

    /** Creates an empty memory file. */
    static RandomAccessFile create() throws IOException {
        String failure = unavailableReason();
        if (failure != null) {
            throw new IOException(failure);
        }
        return memoryFile();
    }

    private static RandomAccessFile memoryFile() throws IOException {
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
    static void seal(RandomAccessFile file, boolean readOnly) throws IOException {
        int descriptor = Descriptors.numberOf(file);
        if (readOnly) {
            // Older kernels refuse this seal. Peers then still get a descriptor for reading only.
            SealedFiles.addSeals(descriptor, FUTURE_WRITE);
        }
        checked("F_ADD_SEALS", SealedFiles.addSeals(descriptor, SHRINK | GROW | SEAL));
    }

    /** Throws an IOException if the peer that passed the file could truncate it. */
    static void requireSealed(RandomAccessFile file) throws IOException {
        // Files that cannot be sealed return an error here.
        int seals = SealedFiles.seals(Descriptors.numberOf(file));
        if (seals < 0 || (seals & SHRINK) == 0) {
            throw new IOException("it is not sealed, so the peer could truncate it");
        }
    }

    private static int checked(String function, int result) throws IOException {
        if (result < 0) {
            throw new IOException(function + " failed with errno " + -result);
        }
        return result;
    }
}
