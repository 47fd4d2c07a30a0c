// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.process.StartFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The open-file limit of a process, which includes connections. */
final class OpenFiles {
    private static final String LINE = "Max open files";
    private static final String UNLIMITED = "unlimited";

    private OpenFiles() {}

    /** @throws StartFailure that names the process and the remedy if the limit is below {@code needed} */
    static void require(String process, long pid, long needed) {
        List<String> limits;
        try {
            limits = Files.readAllLines(Path.of("/proc", Long.toString(pid), "limits"));
        } catch (IOException unknown) {
            return;
        }
        long allowed = limitOf(limits);
        if (allowed < needed) {
            throw new StartFailure(process + " has a limit of " + allowed + " open files and needs " + needed
                    + " for the consumers: raise the limit (ulimit -n " + needed + ") or use fewer consumers (--consumers)");
        }
    }

    /** Returns the soft limit from the lines of {@code /proc/PID/limits}. */
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
