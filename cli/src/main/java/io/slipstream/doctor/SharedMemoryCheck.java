// SPDX-License-Identifier: Apache-2.0
package io.slipstream.doctor;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Checks free space and permissions of the file system that holds the shared memory of the {@code shm} provider. */
final class SharedMemoryCheck implements Check {
    static final Path DEV_SHM = Path.of("/dev/shm");
    /** Room for the request and reply rings of several links. */
    private static final long ENOUGH_BYTES = 256L << 20;

    private final Path directory;

    SharedMemoryCheck(Path directory) {
        this.directory = directory;
    }

    @Override
    public List<Finding> examine() {
        String subject = directory.toString();
        if (!Files.isDirectory(directory)) {
            return List.of(Finding.fail(subject, "missing", "mount it: mount -t tmpfs tmpfs /dev/shm"));
        }
        if (!Files.isWritable(directory)) {
            return List.of(Finding.fail(subject, "not writable by this user", "chmod 1777 " + directory));
        }
        try {
            FileStore store = Files.getFileStore(directory);
            String room = (store.getUsableSpace() >> 20) + " of " + (store.getTotalSpace() >> 20) + " MiB free ("
                    + store.type() + ")";
            return List.of(
                    store.getUsableSpace() >= ENOUGH_BYTES
                            ? Finding.ok(subject, room)
                            : Finding.warn(
                                    subject,
                                    room,
                                    "rings need " + (ENOUGH_BYTES >> 20)
                                            + " MiB: mount -o remount,size=1g /dev/shm (Docker: --shm-size=1g)"));
        } catch (IOException e) {
            return List.of(Finding.warn(subject, "cannot be checked: " + e.getMessage(), "df -h " + directory));
        }
    }
}
