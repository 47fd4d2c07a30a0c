// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;

/**
 * Owns memory regions. A queue pair can export only the regions of its own protection domain. Thread-safe. See
 * ibv_alloc_pd(3).
 */
public interface ProtectionDomain extends AutoCloseable {
    /**
     * Allocates zeroed memory and registers it. Throws an IOException that names the limit if the memory cannot be
     * allocated or pinned.
     */
    MemoryRegion allocate(long lengthBytes, Set<Access> access) throws IOException;

    /**
     * Registers bytes {@code [positionBytes, positionBytes + lengthBytes)} of an existing file for remote reading. The
     * region's address names the byte at {@code positionBytes}. The file may be longer, may grow, and may be renamed or
     * unlinked.
     *
     * <p>The region's length is the number of bytes that peers may read. {@code shm} pins nothing and grants all of
     * {@code lengthBytes}; a read beyond the end of the file is an access error. {@code verbs} grants no more than the
     * page in which the file ends now. Bytes of that page beyond the end read as zeros, and as the file's bytes once it
     * has grown.
     *
     * <p>The region is exported to one queue pair. {@code shm} keeps no descriptor of the file after that.
     *
     * @param positionBytes a multiple of 4096
     */
    MemoryRegion registerFile(Path file, long positionBytes, long lengthBytes) throws IOException;

    /**
     * Whether the pages of a registered file stay in memory. If true, a region covers no more than the file held when
     * it was registered. If false, a region may be longer than the file and follows its growth.
     */
    default boolean pinsFiles() {
        return true;
    }

    /**
     * The lkey that names any direct memory of this process as a local segment, or -1 if local segments must lie in
     * regions of this domain.
     */
    int anyLocalMemoryKey();

    /**
     * Bytes registered now, including quarantined ones. A file counts with the bytes that it held when it was
     * registered, at most the region's length.
     */
    long registeredBytes();

    /** Deregisters all regions. */
    @Override
    void close();
}
