// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

import io.slipstream.faults.schedule.Fault.Resource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Sets limits of a running process with prlimit. It changes only the soft limit, so that it can restore it. */
public final class ProcessLimits {
    private ProcessLimits() {}

    /** Lowers the limit to the current use and returns the action that restores it. */
    static Runnable exhaust(Resource resource, long pid) {
        return limit(resource, pid, resource == Resource.DESCRIPTORS ? openDescriptors(pid) : 0);
    }

    /** Sets the limit and returns the action that restores it. */
    public static Runnable limit(Resource resource, long pid, long soft) {
        String option = resource == Resource.DESCRIPTORS ? "--nofile" : "--memlock";
        String before =
                Command.require("prlimit", "--pid", Long.toString(pid), option, "--output", "SOFT", "--noheadings");
        set(pid, option, Long.toString(soft));
        return () -> {
            if (ProcessHandle.of(pid).isPresent()) {
                set(pid, option, before.strip());
            }
        };
    }

    static Optional<String> obstacle() {
        Command.Result result = Command.run("prlimit", "--version");
        return result.succeeded() ? Optional.empty() : Optional.of("prlimit is missing; apt-get install util-linux");
    }

    private static void set(long pid, String option, String soft) {
        Command.require("prlimit", "--pid", Long.toString(pid), option + "=" + soft + ":");
    }

    private static long openDescriptors(long pid) {
        try (Stream<Path> open = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
            return open.mapToInt(path -> Integer.parseInt(path.getFileName().toString()))
                            .max()
                            .orElse(0)
                    + 1L;
        } catch (IOException e) {
            throw new FaultFailure("cannot count the descriptors of process " + pid, e);
        }
    }
}
