// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.isolation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** What the kernel says that a process holds open. */
final class HeldFiles {
    private HeldFiles() {}

    /** Returns the files below the directory that the process has open or mapped, although they were deleted. */
    static List<String> deleted(long pid, Path directory) throws IOException {
        Path process = Path.of("/proc", Long.toString(pid));
        List<String> held = new ArrayList<>();
        for (Path descriptor : descriptors(pid)) {
            try {
                held.add(Files.readSymbolicLink(descriptor).toString());
            } catch (IOException closed) {
                // Since it was listed.
            }
        }
        try (Stream<String> mappings = Files.lines(process.resolve("maps"))) {
            mappings.filter(line -> line.contains("/")).forEach(line -> held.add(line.substring(line.indexOf('/'))));
        }
        held.removeIf(file -> !file.startsWith(directory.toString()) || !file.endsWith(" (deleted)"));
        return held;
    }

    /** Returns how many descriptors the process has open. */
    static int count(long pid) throws IOException {
        return descriptors(pid).size();
    }

    private static List<Path> descriptors(long pid) throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
            return descriptors.toList();
        }
    }
}
