// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.netty.channel.unix.FileDescriptor;
import io.slipstream.rdma.Access;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * A peer's region as seen from this side. Memory is mapped. Files are read through a channel, which cannot fault when
 * the file shrinks.
 */
final class RemoteRegion {
    /** The address of a byte of a file holds its position in the file. */
    private static final long FILE_POSITION_MASK = 0xFFFF_FFFFL;

    final int exportSlot;
    private final long remoteBase;
    private final long lengthBytes;
    private final int access;
    private final SharedMemory memory;
    private final RandomAccessFile file;

    private RemoteRegion(Message.Export export, SharedMemory memory, RandomAccessFile file) {
        this.exportSlot = export.slot();
        this.remoteBase = export.address();
        this.lengthBytes = export.lengthBytes();
        this.access = export.access();
        this.memory = memory;
        this.file = file;
    }

    /** Opens what the peer passed. The descriptor stays the caller's. Throws an IOException for a malformed export. */
    static RemoteRegion open(Message.Export export, FileDescriptor descriptor) throws IOException {
        if (export.isFile()) {
            if (export.lengthBytes() < 1 || export.access() != bit(Access.REMOTE_READ)) {
                throw new IOException("a file region must have a length and REMOTE_READ only");
            }
            return new RemoteRegion(export, null, Descriptors.reopen(descriptor.intValue(), "r"));
        }
        boolean writable = isWritable(export.access());
        return new RemoteRegion(export, SharedMemory.map(descriptor, writable, export.lengthBytes()), null);
    }

    /** The bit of an access right on the wire. */
    static int bit(Access access) {
        return switch (access) {
            case REMOTE_READ -> 1;
            case REMOTE_WRITE -> 2;
        };
    }

    static boolean isWritable(int access) {
        return (access & bit(Access.REMOTE_WRITE)) != 0;
    }

    /** Whether a request may use that range. Any values are safe, including malformed and hostile ones. */
    boolean permits(int accessBit, long remoteAddress, int sizeBytes) {
        long offset = remoteAddress - remoteBase;
        return (access & accessBit) != 0 && offset >= 0 && offset <= lengthBytes - sizeBytes;
    }

    boolean isFile() {
        return file != null;
    }

    /** Local address of a permitted remote address. Not for files. */
    long localAddress(long remoteAddress) {
        return memory.address + (remoteAddress - remoteBase);
    }

    /**
     * Reads a permitted range of a file into {@code target}'s remaining bytes. Returns false at the end of the file.
     */
    boolean readFully(long remoteAddress, ByteBuffer target) throws IOException {
        FileChannel channel = file.getChannel();
        long position = remoteAddress & FILE_POSITION_MASK;
        while (target.hasRemaining()) {
            int read = channel.read(target, position);
            if (read <= 0) {
                return false;
            }
            position += read;
        }
        return true;
    }

    /** Connection thread, after a grace period. */
    void free() {
        if (memory != null) {
            memory.unmap();
        } else {
            Descriptors.close(file);
        }
    }
}
