// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Attacks with the descriptors that a hostile process was given: it opens the files behind them and changes them. */
final class SharedFiles {
    interface Attack {
        void on(RandomAccessFile file) throws IOException;
    }

    private SharedFiles() {}

    /** Attacks each shared file of that size of which this process has a descriptor. */
    static void attack(long sizeBytes, Attack attack) throws IOException {
        int attacked = 0;
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors.toList()) {
                if (isShared(descriptor, sizeBytes)) {
                    try (RandomAccessFile file = new RandomAccessFile(descriptor.toFile(), "rw")) {
                        attack.on(file);
                    }
                    attacked++;
                }
            }
        }
        assertThat(attacked).as("shared files of %d bytes", sizeBytes).isPositive();
    }

    /** False for a descriptor that another thread has closed meanwhile. */
    private static boolean isShared(Path descriptor, long sizeBytes) throws IOException {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("/memfd:slipstream")
                    && Files.size(descriptor) == sizeBytes;
        } catch (NoSuchFileException closed) {
            return false;
        }
    }

    static long inboxBytes(int receiveDepth) {
        return InboxLayout.sizeBytes(InboxLayout.ringRecords(receiveDepth));
    }
}
