// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.io.IOException;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Pages of this process and the ibv_mr that pins them. Allocated memory outlives its registration for as long as somebody holds a view of its
 * buffer: a late reader finds old bytes, not a missing page. So does a window of a file that peers write, which is mapped by the JVM for that reason.
 * The mapping of a file that they read, which nobody can see, goes with the registration.
 */
final class RegisteredMemory {
    private static final Cleaner CLEANER = Cleaner.create();

    private final NativeVerbs natives;
    private final long address;
    private final long lengthBytes;
    private final long region;
    private final int lkey;
    private final int rkey;
    /** Null for a file that peers read, and for memory that is too long for one. */
    private final ByteBuffer buffer;

    private final boolean isFile;
    /** Whose pages these are, if they are another's; null else. Keeps them mapped. */
    @SuppressWarnings("unused")
    private final RegisteredMemory owner;

    private RegisteredMemory(
            NativeVerbs natives,
            long address,
            long lengthBytes,
            long region,
            int[] keys,
            ByteBuffer buffer,
            boolean isFile,
            RegisteredMemory owner) {
        this.natives = natives;
        this.address = address;
        this.lengthBytes = lengthBytes;
        this.region = region;
        this.lkey = keys[0];
        this.rkey = keys[1];
        this.buffer = buffer;
        this.isFile = isFile;
        this.owner = owner;
    }

    static RegisteredMemory allocate(NativeVerbs natives, long domain, long lengthBytes, int access)
            throws IOException {
        long address = natives.allocate(lengthBytes);
        int[] keys = new int[2];
        long region;
        try {
            region = natives.registerMemory(domain, address, lengthBytes, access, keys);
        } catch (IOException | RuntimeException e) {
            natives.unmap(address, lengthBytes);
            throw e;
        }
        ByteBuffer buffer = lengthBytes <= Integer.MAX_VALUE
                ? natives.bufferAt(address, (int) lengthBytes).order(ByteOrder.LITTLE_ENDIAN)
                : null;
        RegisteredMemory memory =
                new RegisteredMemory(natives, address, lengthBytes, region, keys, buffer, false, null);
        // All views hold the buffer they were made of.
        CLEANER.register(buffer != null ? buffer : memory, () -> natives.unmap(address, lengthBytes));
        return memory;
    }

    static RegisteredMemory mapFile(
            NativeVerbs natives, long domain, Path file, long positionBytes, long lengthBytes, boolean writable)
            throws IOException {
        long address = natives.mapFile(file.toString(), positionBytes, lengthBytes, writable);
        int[] keys = new int[2];
        try {
            long region = natives.registerMemory(domain, address, lengthBytes, VerbsLayout.ACCESS_REMOTE_READ, keys);
            return new RegisteredMemory(natives, address, lengthBytes, region, keys, null, true, null);
        } catch (IOException | RuntimeException e) {
            natives.unmap(address, lengthBytes);
            throw e;
        }
    }

    /** The same pages in another domain; both may go first. */
    static RegisteredMemory share(NativeVerbs natives, long domain, RegisteredMemory owner, int access)
            throws IOException {
        int[] keys = new int[2];
        long region = natives.registerMemory(domain, owner.address, owner.lengthBytes, access, keys);
        return new RegisteredMemory(
                natives, owner.address, owner.lengthBytes, region, keys, owner.buffer, false, owner);
    }

    /** A window of an existing file for peers to write; it is neither created nor grown. */
    static RegisteredMemory mapWindow(
            NativeVerbs natives, long domain, Path file, long positionBytes, long lengthBytes, int access)
            throws IOException {
        ByteBuffer buffer;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            if (channel.size() - lengthBytes < positionBytes) {
                throw new IOException(file + " has " + channel.size() + " bytes, a window of " + lengthBytes
                        + " bytes at " + positionBytes + " ends behind that");
            }
            buffer = channel.map(FileChannel.MapMode.READ_WRITE, positionBytes, lengthBytes)
                    .order(ByteOrder.LITTLE_ENDIAN);
        }
        int[] keys = new int[2];
        long address = natives.addressOf(buffer);
        long region = natives.registerMemory(domain, address, lengthBytes, access, keys);
        return new RegisteredMemory(natives, address, lengthBytes, region, keys, buffer, false, null);
    }

    long address() {
        return address;
    }

    long lengthBytes() {
        return lengthBytes;
    }

    int lkey() {
        return lkey;
    }

    int rkey() {
        return rkey;
    }

    boolean isFile() {
        return isFile;
    }

    ByteBuffer buffer() {
        return buffer;
    }

    /** Synchronous; once. */
    void deregister() throws IOException {
        natives.deregisterMemory(region);
        if (isFile) {
            natives.unmap(address, lengthBytes);
        }
    }
}
