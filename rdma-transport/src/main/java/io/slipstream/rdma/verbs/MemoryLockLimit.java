// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma.verbs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** RLIMIT_MEMLOCK (getrlimit(2)): the amount of memory that this process may pin by registering it. */
public final class MemoryLockLimit {
    public static final String REMEDY = "LimitMEMLOCK=infinity in the systemd unit, ulimit -l unlimited in a shell,"
            + " --ulimit memlock=-1 for a container";

    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final String LINE = "Max locked memory";

    private MemoryLockLimit() {}

    /** The limit of this process in bytes; Long.MAX_VALUE if unlimited. */
    public static long current() throws IOException {
        for (String line : Files.readAllLines(LIMITS)) {
            if (line.startsWith(LINE)) {
                String soft = line.substring(LINE.length()).strip().split("\\s+")[0];
                return soft.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(soft);
            }
        }
        throw new IOException(LIMITS + " has no line '" + LINE + "'");
    }

    /** Explains a registration that failed with ENOMEM. */
    public static String explain(long lengthBytes) {
        try {
            long limit = current();
            return limit == Long.MAX_VALUE
                    ? lengthBytes
                            + " bytes are more than the kernel can pin (RLIMIT_MEMLOCK is unlimited);"
                            + " free memory or register less"
                    : lengthBytes + " bytes on top of what is pinned exceed the memory lock limit of " + limit
                            + " bytes (RLIMIT_MEMLOCK); raise it: " + REMEDY;
        } catch (IOException e) {
            return lengthBytes + " bytes, limit unknown (" + e.getMessage() + "); check ulimit -l and raise it: "
                    + REMEDY;
        }
    }
}
