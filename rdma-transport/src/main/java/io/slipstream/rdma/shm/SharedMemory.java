// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.netty.channel.unix.FileDescriptor;
import io.slipstream.rdma.LocalPeers;
import io.slipstream.rdma.provider.OwnerActivity;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.agrona.BufferUtil;

/**
 * A mapped file without a name. The kernel provides a page when it is first touched, as it does for a heap, so memory
 * that nobody uses costs nothing. Where the kernel promises no more than it has (vm.overcommit_memory=2), all pages are
 * taken at once. Lack of memory is then an IOException and never a signal later. The size cannot change, see
 * {@link Seals}.
 *
 * <p>A mapping needs no descriptor. Only memory that will be passed to a peer keeps its own.
 *
 * <p>It ends in one of two ways. {@link #unmap} frees the mapping at once; use it only after a grace period ({@link
 * OwnerActivity}), for memory that only this provider can reach. {@link #forget} closes the descriptor and leaves the
 * mapping to the garbage collector, because the application may still hold views of the buffer. A late access then
 * reads old bytes instead of ending the process.
 */
final class SharedMemory {
    private static final Set<PosixFilePermission> READ_BY_OTHERS = PosixFilePermissions.fromString("rw-r--r--");
    private static final Set<PosixFilePermission> WRITTEN_BY_OTHERS = PosixFilePermissions.fromString("rw-rw-rw-");

    private static final boolean IS_LAZY = isOvercommitted();

    /** Closed, unless this memory is to be passed. */
    final RandomAccessFile file;

    final MappedByteBuffer buffer;
    final long address;
    final long sizeBytes;

    private SharedMemory(RandomAccessFile file, FileChannel.MapMode mode, long sizeBytes) throws IOException {
        this.file = file;
        this.sizeBytes = sizeBytes;
        this.buffer = file.getChannel().map(mode, 0, sizeBytes);
        this.buffer.order(ByteOrder.LITTLE_ENDIAN);
        this.address = BufferUtil.address(buffer);
    }

    private static boolean isOvercommitted() {
        try {
            return !Files.readAllLines(Path.of("/proc/sys/vm/overcommit_memory"))
                    .contains("2");
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * @param peers the users to whose processes the descriptor may be passed. Those processes open the file again, so
     *     its mode must allow them. No other process finds it, because it has no name
     * @param readOnlyForPeers whether other processes must never be able to write to it, whatever descriptor they have
     */
    static SharedMemory create(long sizeBytes, LocalPeers peers, boolean readOnlyForPeers) throws IOException {
        if (sizeBytes < 1 || sizeBytes > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("length must be 1 to " + Integer.MAX_VALUE + " bytes: " + sizeBytes);
        }
        RandomAccessFile file = Seals.create();
        try {
            if (peers.isBeyondOwn) {
                Files.setPosixFilePermissions(
                        Descriptors.path(Descriptors.numberOf(file)),
                        readOnlyForPeers ? READ_BY_OTHERS : WRITTEN_BY_OTHERS);
            }
            file.setLength(sizeBytes);
            SharedMemory memory = new SharedMemory(file, FileChannel.MapMode.READ_WRITE, sizeBytes);
            if (!IS_LAZY) {
                memory.buffer.load();
            }
            Seals.seal(file, readOnlyForPeers);
            return memory;
        } catch (IOException | RuntimeException | InternalError e) {
            // The JVM throws an InternalError where the kernel has no page.
            file.close();
            throw new IOException("cannot allocate " + sizeBytes + " bytes of shared memory: " + e.getMessage(), e);
        }
    }

    /**
     * Maps a sealed file that a peer passed. Its real size is checked against the announced one. The descriptor stays
     * the caller's.
     */
    static SharedMemory map(FileDescriptor descriptor, boolean writable, long sizeBytes) throws IOException {
        RandomAccessFile file = Descriptors.reopen(descriptor.intValue(), writable ? "rw" : "r");
        try {
            Seals.requireSealed(file);
            if (sizeBytes < 1 || sizeBytes > Integer.MAX_VALUE || file.length() < sizeBytes) {
                throw new IOException("the peer announced " + sizeBytes + " bytes of a file of " + file.length());
            }
            FileChannel.MapMode mode = writable ? FileChannel.MapMode.READ_WRITE : FileChannel.MapMode.READ_ONLY;
            return new SharedMemory(file, mode, sizeBytes);
        } finally {
            Descriptors.close(file);
        }
    }

    void unmap() {
        forget();
        BufferUtil.free(buffer);
    }

    void forget() {
        Descriptors.close(file);
    }
}
