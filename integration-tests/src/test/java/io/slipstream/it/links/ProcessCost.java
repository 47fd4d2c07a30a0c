// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.links;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What the kernel says that a process holds now.
 *
 * @param residentBytes pages of its own and of memory that it shares, as far as it has touched them
 * @param cpuNs processor time since its start
 */
record ProcessCost(long residentBytes, long descriptors, long mappings, long cpuNs) {
    private static final long TICK_NS = TimeUnit.SECONDS.toNanos(1) / 100;

    static ProcessCost of(long pid) throws IOException {
        Path process = Path.of("/proc", Long.toString(pid));
        try (Stream<Path> descriptors = Files.list(process.resolve("fd"));
                Stream<String> mappings = Files.lines(process.resolve("maps"))) {
            return new ProcessCost(
                    residentBytes(process.resolve("smaps_rollup")),
                    descriptors.count(),
                    mappings.count(),
                    cpuNs(process.resolve("stat")));
        }
    }

    private static long residentBytes(Path rollup) throws IOException {
        try (Stream<String> lines = Files.lines(rollup)) {
            String resident =
                    lines.filter(line -> line.startsWith("Rss:")).findFirst().orElseThrow();
            return 1024 * Long.parseLong(resident.replaceAll("\\D", ""));
        }
    }

    /** Fields 14 and 15: time in user and in kernel mode. The name, field 2, may contain spaces. */
    private static long cpuNs(Path stat) throws IOException {
        String line = Files.readString(stat);
        String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * TICK_NS;
    }

    ProcessCost since(ProcessCost earlier) {
        return new ProcessCost(
                residentBytes - earlier.residentBytes,
                descriptors - earlier.descriptors,
                mappings - earlier.mappings,
                cpuNs - earlier.cpuNs);
    }
}
