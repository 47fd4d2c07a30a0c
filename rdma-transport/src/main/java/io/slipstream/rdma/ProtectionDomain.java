// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;

/** Owns memory regions; queue pairs of one protection domain can be granted its regions only. Thread-safe. */
public interface ProtectionDomain extends AutoCloseable {
    /** Allocates zeroed memory and registers it. Throws IOException naming the limit if memory cannot be had. */
    MemoryRegion allocate(long lengthBytes, Set<Access> access) throws IOException;

    /**
     * Registers bytes {@code [positionBytes, positionBytes + lengthBytes)} of an existing file for remote reading; the region's address names
     * the byte at that position. The file may be longer, and may grow; it can be renamed or unlinked meanwhile. The region's length is what
     * peers may read without registering anew: all that was asked for where nothing is pinned ({@code shm}: a read beyond the file's end is an access
     * error, never a signal), else no more than the page in which the file ends now ({@code verbs}: bytes of that page beyond the file's end read as
     * zeros, and as the file's bytes once it has grown).
     *
     * @param positionBytes a multiple of 4096
     */
    MemoryRegion registerFile(Path file, long positionBytes, long lengthBytes) throws IOException;

    /**
     * Registers bytes {@code [positionBytes, positionBytes + lengthBytes)} of an existing file for remote writing: what peers write is in the
     * file, and in {@link MemoryRegion#buffer()}, which is this process's own shared mapping of that window. Windows of one file may overlap. The
     * file may be renamed or unlinked meanwhile. It must not be cut below the window before the region is fenced: what is written then is lost, on
     * {@code shm} the writer's queue pair ends as well, and reading the buffer behind the file's end is a fault, for which the JVM throws
     * InternalError at best and which ends this process where its checksum code is reading. Nor should there be holes in the window: {@code shm} peers who write into one while the
     * file system is full fault, as if the file had been cut.
     *
     * <p>Throws IOException if the file is missing, ends before the window does (with both sizes), or cannot be written by this device (with
     * the reason, see {@link FileRegistration#remoteWriteRefusal}). It is never created nor grown.
     *
     * @param positionBytes a multiple of 4096
     * @param lengthBytes 1 to 2³¹−1
     */
    MemoryRegion registerFileForWriting(Path file, long positionBytes, long lengthBytes) throws IOException;

    /**
     * Registers memory that another domain of the same device has allocated, in this one as well: for a word in which peers of several domains
     * count, without seeing anything else of each other's. The new region has the same bytes and address, but keys, access and an end of its own: it goes
     * on when the other is deregistered. The memory lives until the last of them is gone, and counts in each domain. Atomics of all of them are atomic
     * with each other (on {@code verbs} not with this process's own).
     *
     * <p>Throws IllegalArgumentException for a file, or a region of another device; IllegalStateException if {@code other} is not registered any
     * more; IOException if the device refuses.
     */
    MemoryRegion share(MemoryRegion other, Set<Access> access) throws IOException;

    /**
     * Whether a registered file's pages stay in memory. If so, a region never covers more than the file held when it was registered; if not,
     * it may be asked for longer than the file and then follows its growth.
     */
    default boolean pinsFiles() {
        return true;
    }

    /**
     * The lkey under which any direct memory of this process may be named as a local segment, or -1 if local segments must
     * come from regions of this domain.
     */
    int anyLocalMemoryKey();

    /** Bytes registered now, quarantined ones included; a file counts with what it held when it was registered, at most its length. */
    long registeredBytes();

    /** Deregisters all regions. */
    @Override
    void close();
}
