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
