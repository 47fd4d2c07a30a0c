// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** File descriptors as integers: descriptors that the JDK opened, and descriptors that a peer passed. */
final class Descriptors {
    private static final VarHandle JDK_DESCRIPTOR = jdkDescriptor();
    private static final String MISSING_FLAG =
            "the shm provider needs the JVM flag --add-opens java.base/java.io=ALL-UNNAMED";

    private Descriptors() {}

    private static VarHandle jdkDescriptor() {
        try {
            return MethodHandles.privateLookupIn(java.io.FileDescriptor.class, MethodHandles.lookup())
                    .findVarHandle(java.io.FileDescriptor.class, "fd", int.class);
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    /** Null if descriptors can be read, else the remedy for the operator. */
    static String unavailableReason() {
        return JDK_DESCRIPTOR == null ? MISSING_FLAG : null;
    }

    static int numberOf(RandomAccessFile file) throws IOException {
        if (JDK_DESCRIPTOR == null) {
            throw new IOException(MISSING_FLAG);
        }
        return (int) JDK_DESCRIPTOR.get(file.getFD());
    }

    /**
     * Opens again the file behind a descriptor; {@code mode} as in {@link RandomAccessFile}. Throws an IOException for
     * anything but regular files; memory files count as regular files.
     */
    static RandomAccessFile reopen(int descriptor, String mode) throws IOException {
        Path path = path(descriptor);
        // Opening a pipe or device that a hostile peer passed could block this thread for ever.
        if (!Files.readAttributes(path, BasicFileAttributes.class).isRegularFile()) {
            throw new IOException("descriptor is not a regular file");
        }
        return new RandomAccessFile(path.toFile(), mode);
    }

    /** Closes what has no pending writes, so that closing cannot fail. */
    static void close(AutoCloseable descriptor) {
        try {
            descriptor.close();
        } catch (Exception e) {
            throw new AssertionError("closing a descriptor without pending writes", e);
        }
    }

    static void close(FileDescriptor descriptor) {
        close(descriptor::close);
    }

    /** A path to the file behind a descriptor, valid while the descriptor is open. */
    static Path path(int descriptor) {
        return Path.of("/proc/self/fd/" + descriptor);
    }
}
