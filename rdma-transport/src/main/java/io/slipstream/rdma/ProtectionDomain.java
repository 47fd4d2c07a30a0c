package io.slipstream.rdma;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;

/** Owns memory regions; queue pairs of one protection domain can be granted its regions only. Thread-safe. */
public interface ProtectionDomain extends AutoCloseable {
    /** Allocates zeroed memory and registers it. Throws IOException naming the limit if memory cannot be had. */
    MemoryRegion allocate(long lengthBytes, Set<Access> access) throws IOException;

    /**
     * Registers bytes {@code [0, lengthBytes)} of an existing file for remote reading. The file may be longer, and may
     * grow; bytes beyond its end read as an access error, never as a signal. The file can be renamed or unlinked meanwhile.
     */
    MemoryRegion registerFile(Path file, long lengthBytes) throws IOException;

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
