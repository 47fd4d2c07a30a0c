// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.netty.channel.unix.FileDescriptor;
import io.slipstream.rdma.LocalPeers;
import io.slipstream.rdma.completion.OwnerActivity;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Set;
import org.agrona.BufferUtil;

/**
 * A mapped file without a name, whose pages are reserved when it is created, so that running out of memory is an IOException
 * here and never a signal later, and whose size nobody can change ({@link Seals}); or a window of a file that has a name.
 *
 * <p>Two ways to end: {@link #unmap} frees the mapping at once and is only for memory that nobody but this provider can reach, after
 * a grace period ({@link OwnerActivity}). {@link #forget} closes the descriptor and leaves the mapping to the garbage collector,
 * because the application may still hold views of the buffer: a late access then reads old bytes instead of ending the process.
 */
final class SharedMemory {
    private static final Path DIRECTORY = Path.of("/dev/shm");
    private static final ByteBuffer ZEROS =
            ByteBuffer.allocateDirect(256 * 1024).asReadOnlyBuffer();
    private static final Set<PosixFilePermission> READ_BY_OTHERS = PosixFilePermissions.fromString("rw-r--r--");
    private static final Set<PosixFilePermission> WRITTEN_BY_OTHERS = PosixFilePermissions.fromString("rw-rw-rw-");
    private static final SecureRandom RANDOM = new SecureRandom();

    private final RandomAccessFile file;
    private final MappedByteBuffer buffer;
    private final long address;
    private final long sizeBytes;

    private SharedMemory(RandomAccessFile file, FileChannel.MapMode mode, long sizeBytes) throws IOException {
        this.file = file;
        this.sizeBytes = sizeBytes;
        this.buffer = file.getChannel().map(mode, 0, sizeBytes);
        this.buffer.order(ByteOrder.LITTLE_ENDIAN);
        this.address = BufferUtil.address(buffer);
    }

    /** Null if memory can be created here, else the remedy. */
    static String unavailableReason() {
        return Seals.ofThisMachine().areSupported() || Files.isDirectory(DIRECTORY) && Files.isWritable(DIRECTORY)
                ? null
                : DIRECTORY + " is missing or not writable; mount a tmpfs there";
    }

    /**
     * @param peers to whom its descriptor is passed. They open it anew, and where they are other users' processes the file's mode has to let them;
     *     nobody else finds it, since it has no name
     * @param readOnlyForPeers whether no other process can ever write to it, whatever descriptor it gets hold of
     */
    static SharedMemory create(long sizeBytes, Seals seals, LocalPeers peers, boolean readOnlyForPeers)
            throws IOException {
        if (sizeBytes < 1 || sizeBytes > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("length must be 1 to " + Integer.MAX_VALUE + " bytes: " + sizeBytes);
        }
        RandomAccessFile file = seals.areSupported() ? seals.create() : createUnsealed();
        try {
            if (peers.isBeyondOwn()) {
                Files.setPosixFilePermissions(
                        Descriptors.path(Descriptors.numberOf(file)),
                        readOnlyForPeers ? READ_BY_OTHERS : WRITTEN_BY_OTHERS);
            }
            reserve(file.getChannel(), sizeBytes);
            SharedMemory memory = new SharedMemory(file, FileChannel.MapMode.READ_WRITE, sizeBytes);
            memory.buffer.load();
            if (seals.areSupported()) {
                seals.seal(file, readOnlyForPeers);
            }
            return memory;
        } catch (IOException | RuntimeException e) {
            file.close();
            throw new IOException("cannot allocate " + sizeBytes + " bytes of shared memory: " + e.getMessage(), e);
        }
    }

    private static RandomAccessFile createUnsealed() throws IOException {
        Path path = DIRECTORY.resolve("slipstream-" + Long.toHexString(RANDOM.nextLong()));
        Files.createFile(path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            return new RandomAccessFile(path.toFile(), "rw");
        } finally {
            Files.delete(path);
        }
    }

    private static void reserve(FileChannel channel, long sizeBytes) throws IOException {
        ByteBuffer zeros = ZEROS.duplicate();
        for (long written = 0; written < sizeBytes; ) {
            zeros.clear().limit((int) Math.min(zeros.capacity(), sizeBytes - written));
            written += channel.write(zeros);
        }
    }

    /**
     * Maps what a peer passed. The size that counts is the file's, not the peer's word. The descriptor stays the caller's.
     *
     * @param seals that it must have; NONE for a window of a file, which its owner may cut
     */
    static SharedMemory map(FileDescriptor descriptor, boolean writable, long sizeBytes, Seals seals)
            throws IOException {
        RandomAccessFile file = Descriptors.reopen(descriptor.intValue(), writable ? "rw" : "r");
        try {
            seals.requireSealed(file);
            if (sizeBytes < 1 || sizeBytes > Integer.MAX_VALUE || file.length() < sizeBytes) {
                throw new IOException("file of " + file.length() + " bytes was announced with " + sizeBytes + " bytes");
            }
            FileChannel.MapMode mode = writable ? FileChannel.MapMode.READ_WRITE : FileChannel.MapMode.READ_ONLY;
            return new SharedMemory(file, mode, sizeBytes);
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    long address() {
        return address;
    }

    long sizeBytes() {
        return sizeBytes;
    }

    ByteBuffer buffer() {
        return buffer;
    }

    RandomAccessFile file() {
        return file;
    }

    /** Whether a peer has cut the file short: access beyond its end is then a fault. */
    boolean isTruncated() throws IOException {
        return file.length() < sizeBytes;
    }

    void unmap() {
        forget();
        BufferUtil.free(buffer);
    }

    void forget() {
        try {
            file.close();
        } catch (IOException e) {
            throw new AssertionError("closing a descriptor without pending writes", e);
        }
    }
}
