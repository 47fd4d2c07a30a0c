// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.io.RandomAccessFile;

/**
 * Memory files (memfd_create(2)) and the seals on their size (fcntl(2)). Access to a mapping beyond the end of its file
 * raises a signal that may end the process. So this process seals the memory that it shares, and maps a peer's memory
 * only if that is sealed as well.
 */
final class Seals {
    /** From {@code linux/memfd.h}. */
    private static final int CLOSE_ON_EXEC = 0x1;

    private static final int ALLOW_SEALING = 0x2;

    /** From {@code linux/fcntl.h}. */
    private static final int ADD_SEALS = 1033;

    private static final int GET_SEALS = 1034;
    private static final int SEAL = 0x1;
    private static final int SHRINK = 0x2;
    private static final int GROW = 0x4;
    /** Since Linux 5.1. Existing writable mappings stay writable; no new ones can be created. */
    private static final int FUTURE_WRITE = 0x10;

    private Seals() {}

    /** Functions of the C library that this process has loaded. */
    private static final class CLibrary {
        static {
            Native.register(CLibrary.class, NativeLibrary.getProcess());
        }

        static native int memfd_create(String name, int flags) throws LastErrorException;

        static native int fcntl(int descriptor, int command, int argument) throws LastErrorException;
    }

    /** Null if memory can be sealed here, else the reason for the operator. */
    static String unavailableReason() {
        try (RandomAccessFile probe = create()) {
            seal(probe, true);
            return null;
        } catch (IOException | LinkageError e) {
            return "the shm provider cannot seal shared memory: " + e.getMessage()
                    + " (its native library, JNA, needs a directory where programs may run: -Djna.tmpdir=DIRECTORY)";
        }
    }

    /** Creates an empty memory file. */
    static RandomAccessFile create() throws IOException {
        int descriptor;
        try {
            descriptor = CLibrary.memfd_create("slipstream", CLOSE_ON_EXEC | ALLOW_SEALING);
        } catch (LastErrorException e) {
            throw new IOException("memfd_create failed: " + e.getMessage(), e);
        }
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
            try {
                CLibrary.fcntl(descriptor, ADD_SEALS, FUTURE_WRITE);
            } catch (LastErrorException olderKernel) {
                // Peers still get a descriptor for reading only.
            }
        }
        try {
            CLibrary.fcntl(descriptor, ADD_SEALS, SHRINK | GROW | SEAL);
        } catch (LastErrorException e) {
            throw new IOException("F_ADD_SEALS failed: " + e.getMessage(), e);
        }
    }

    /** Throws an IOException if the peer that passed the file could truncate it. */
    static void requireSealed(RandomAccessFile file) throws IOException {
        int seals;
        try {
            seals = CLibrary.fcntl(Descriptors.numberOf(file), GET_SEALS, 0);
        } catch (LastErrorException e) {
            throw new IOException("it cannot be sealed, so the peer could truncate it: " + e.getMessage(), e);
        }
        if ((seals & SHRINK) == 0) {
            throw new IOException("it is not sealed, so the peer could truncate it");
        }
    }
}
