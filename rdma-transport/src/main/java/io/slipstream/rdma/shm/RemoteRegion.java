// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.netty.channel.unix.FileDescriptor;
import io.slipstream.rdma.Access;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * A peer's region as this side sees it: a mapping, or for files to read a channel, which can never fault when the file shrinks. A window of a
 * file to write is a mapping that can.
 */
final class RemoteRegion {
    /** The address of a file's byte holds its position in the file. */
    private static final long FILE_POSITION_MASK = 0xFFFF_FFFFL;

    private static final long WINDOW_ALIGNMENT_BYTES = 4096;

    private final int exportSlot;
    private final long remoteBase;
    private final long lengthBytes;
    private final int access;
    private final boolean isWindow;
    private final SharedMemory memory;
    private final RandomAccessFile file;

    private RemoteRegion(Message.Export export, SharedMemory memory, RandomAccessFile file) {
        this.exportSlot = export.slot();
        this.remoteBase = export.address();
        this.lengthBytes = export.lengthBytes();
        this.access = export.access();
        this.isWindow = export.kind() == Message.Kind.WINDOW;
        this.memory = memory;
        this.file = file;
    }

    /** Opens what the peer passed; the descriptor stays the caller's. */
    static RemoteRegion open(Message.Export export, FileDescriptor descriptor, Seals seals) throws IOException {
        if (export.kind() == Message.Kind.FILE) {
            if (export.lengthBytes() < 1 || export.access() != bit(Access.REMOTE_READ)) {
                throw new IOException("a file region must have a length and REMOTE_READ only");
            }
            return new RemoteRegion(export, null, Descriptors.reopen(descriptor.intValue(), "r"));
        }
        if (export.kind() == Message.Kind.WINDOW
                && (export.access() != bit(Access.REMOTE_WRITE)
                        || export.filePositionBytes() % WINDOW_ALIGNMENT_BYTES != 0)) {
            throw new IOException("a window of a file must start with a page and have REMOTE_WRITE only");
        }
        boolean writable = isWritable(export.access());
        SharedMemory memory = SharedMemory.map(
                descriptor,
                writable,
                export.filePositionBytes(),
                export.lengthBytes(),
                export.kind() == Message.Kind.WINDOW ? Seals.NONE : seals);
        return new RemoteRegion(export, memory, null);
    }

    static int bit(Access access) {
        return 1 << access.ordinal();
    }

    static boolean isWritable(int access) {
        return (access & (bit(Access.REMOTE_WRITE) | bit(Access.REMOTE_ATOMIC))) != 0;
    }

    int exportSlot() {
        return exportSlot;
    }

    /** Whether that range may be used so. Any values are safe: they may come from either side's mistakes or malice. */
    boolean permits(int accessBit, long remoteAddress, int sizeBytes) {
        long offset = remoteAddress - remoteBase;
        return (access & accessBit) != 0 && offset >= 0 && offset <= lengthBytes - sizeBytes;
    }

    boolean isFile() {
        return file != null;
    }

    /** Local address of a permitted remote one; not for files to read. */
    long localAddress(long remoteAddress) {
        return memory.address() + (remoteAddress - remoteBase);
    }

    /** Reads a permitted range of a file into {@code target}'s remaining bytes; false at the end of the file. */
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

    /**
     * Whether a permitted range is still in the file after it was written. The answer for a window costs a system call, because the JVM reports the
     * fault at no certain time; any other memory has no business to shrink.
     */
    boolean holds(long remoteAddress, int sizeBytes) throws IOException {
        return !isWindow || memory.holds(remoteAddress - remoteBase + sizeBytes);
    }

    /** Not asked of windows: their owner may cut the file as soon as it has fenced them, which this side hears of later. */
    boolean isTruncated() throws IOException {
        return memory != null && !isWindow && memory.isTruncated();
    }

    /** Connection thread, after a grace period. */
    void free() {
        if (memory != null) {
            memory.unmap();
            return;
        }
        try {
            file.close();
        } catch (IOException e) {
            throw new AssertionError("closing a file opened for reading", e);
        }
    }
}
