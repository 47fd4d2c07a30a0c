// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Attacks with the descriptors that a hostile process was given: it opens the files behind them and changes them. */
final class SharedFiles {
    interface Attack {
        void on(RandomAccessFile file) throws IOException;
    }

    private SharedFiles() {}

    /** Attacks each shared file of that size of which this process has a descriptor. */
    static void attack(long sizeBytes, Attack attack) throws IOException {
        try (OpenFiles files = open(sizeBytes)) {
            files.attack(attack);
        }
    }

    /** Opens them, for an attack after the descriptors may have been closed. */
    static OpenFiles open(long sizeBytes) throws IOException {
        List<RandomAccessFile> files = new ArrayList<>();
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors.toList()) {
                if (Files.isSymbolicLink(descriptor)
                        && isShared(Files.readSymbolicLink(descriptor).toString())
                        && Files.size(descriptor) == sizeBytes) {
                    files.add(new RandomAccessFile(descriptor.toFile(), "rw"));
                }
            }
        }
        assertThat(files).as("shared files of %d bytes", sizeBytes).isNotEmpty();
        return new OpenFiles(files);
    }

    private static boolean isShared(String name) {
        return name.startsWith("/memfd:slipstream") || name.startsWith("/dev/shm/slipstream-");
    }

    record OpenFiles(List<RandomAccessFile> files) implements AutoCloseable {
        void attack(Attack attack) throws IOException {
            for (RandomAccessFile file : files) {
                attack.on(file);
            }
        }

        @Override
        public void close() throws IOException {
            for (RandomAccessFile file : files) {
                file.close();
            }
        }
    }

    static long inboxBytes(int receiveDepth) {
        return InboxLayout.sizeBytes(InboxLayout.ringRecords(receiveDepth));
    }
}
