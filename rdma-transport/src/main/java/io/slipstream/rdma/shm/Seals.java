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
 * Whether shared memory is made so that a peer cannot cut it short, and only memory of which the same is true is taken from a peer: access to
 * a mapping beyond the end of its file is a signal that may end the process. The kernel keeps such a promise for memory files (memfd) and tells
 * what was promised of one that a peer passed.
 */
final class Seals {
    /** For builds and kernels without: a cut is noticed within a second, and may be too late. */
    static final Seals NONE = new Seals(false);

    private static final String LIBRARY = "libslipstreamshm.so";
    private static final Logger log = LoggerFactory.getLogger(Seals.class);

    /** Of {@code linux/fcntl.h}. */
    private static final int SEAL = 0x1;

    private static final int SHRINK = 0x2;
    private static final int GROW = 0x4;
    /** Since Linux 5.1: mappings that are writable already stay so, no other becomes it. */
    private static final int FUTURE_WRITE = 0x10;

    private final boolean supported;

    private Seals(boolean supported) {
        this.supported = supported;
    }

    /** What this machine and build have. */
    static Seals ofThisMachine() {
        return Loaded.SEALS;
    }

    private static final class Loaded {
        static final Seals SEALS = load();

        private static Seals load() {
            try (LibraryFile file = LibraryFile.find(LIBRARY, "it was built without a C compiler")) {
                // Its natives close descriptors.
                Epoll.ensureAvailability();
                System.load(file.path().toString());
                Seals seals = new Seals(true);
                try (RandomAccessFile probe = seals.create()) {
                    seals.seal(probe, true);
                }
                return seals;
            } catch (IOException | UnsatisfiedLinkError e) {
                log.warn(
                        "A peer can cut short the memory it shares with this process, which may end it: {}",
                        e.getMessage());
                return NONE;
            }
        }
    }

    boolean areSupported() {
        return supported;
    }

    /** A memory file of no size yet. */
    RandomAccessFile create() throws IOException {
        int descriptor = checked("memfd_create", SealedFiles.create());
        try {
            return Descriptors.reopen(descriptor, "rw");
        } finally {
            new FileDescriptor(descriptor).close();
        }
    }

    /**
     * Nobody can change the file's size any more, nor take this back.
     *
     * @param readOnly whether nobody can write to it either, but through mappings that exist
     */
    void seal(RandomAccessFile file, boolean readOnly) throws IOException {
        int descriptor = Descriptors.numberOf(file);
        if (readOnly) {
            // Older kernels refuse it; what is passed then is a descriptor for reading, as ever.
            SealedFiles.addSeals(descriptor, FUTURE_WRITE);
        }
        checked("F_ADD_SEALS", SealedFiles.addSeals(descriptor, SHRINK | GROW | SEAL));
    }

    /** Throws if a peer that passed this could cut it short. */
    void requireSealed(RandomAccessFile file) throws IOException {
        if (supported) {
            // Files that cannot be sealed answer with an error.
            int seals = SealedFiles.seals(Descriptors.numberOf(file));
            if (seals < 0 || (seals & SHRINK) == 0) {
                throw new IOException(
                        "the peer could cut it short, it is not sealed (is the peer's build without " + LIBRARY + "?)");
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
