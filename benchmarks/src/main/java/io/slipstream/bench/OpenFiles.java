// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.process.StartFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** How many files, connections among them, a process may have open. */
final class OpenFiles {
    private static final String LINE = "Max open files";
    private static final String UNLIMITED = "unlimited";

    private OpenFiles() {}

    /** Throws {@link StartFailure}, which names the process and what to do, if it may have fewer than {@code needed} open. */
    static void require(String process, long pid, long needed) {
        List<String> limits;
        try {
            limits = Files.readAllLines(Path.of("/proc", Long.toString(pid), "limits"));
        } catch (IOException unknown) {
            return;
        }
        long allowed = limitOf(limits);
        if (allowed < needed) {
            throw new StartFailure(process + " may have " + allowed + " files open and needs " + needed
                    + " for so many consumers: raise the limit (ulimit -n " + needed + ") or take fewer (--consumers)");
        }
    }

    /** The soft limit in the lines of {@code /proc/PID/limits}. */
    static long limitOf(List<String> limits) {
        for (String line : limits) {
            if (line.startsWith(LINE)) {
                String soft = line.substring(LINE.length()).strip().split("\\s+")[0];
                return soft.equals(UNLIMITED) ? Long.MAX_VALUE : Long.parseLong(soft);
            }
        }
        return Long.MAX_VALUE;
    }
}
