// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.transport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The CPU of one side of a measurement, the same for ours and perftest's. Without it, the scheduler may put two busy
 * pollers on one CPU, and the measurement shows time slices.
 *
 * @param number CPU number; -1 for any
 */
record Processor(int number) {
    static final Processor ANY = new Processor(-1);

    /**
     * Returns the first two permitted CPUs, for the measuring side and its peer; {@link #ANY} twice if there is only
     * one.
     */
    static List<Processor> firstTwo() throws IOException {
        List<Processor> allowed = allowed(Files.readAllLines(Path.of("/proc/self/status")));
        return allowed.size() < 2 ? List.of(ANY, ANY) : allowed.subList(0, 2);
    }

    /** Parses the line {@code Cpus_allowed_list: 0-1,4}. */
    static List<Processor> allowed(List<String> status) {
        List<Processor> allowed = new ArrayList<>();
        for (String line : status) {
            if (line.startsWith("Cpus_allowed_list:")) {
                for (String range :
                        line.substring(line.indexOf(':') + 1).strip().split(",")) {
                    String[] ends = range.split("-");
                    for (int i = Integer.parseInt(ends[0]); i <= Integer.parseInt(ends[ends.length - 1]); i++) {
                        allowed.add(new Processor(i));
                    }
                }
            }
        }
        return allowed;
    }

    /** Returns a command that runs {@code command} on this CPU. */
    List<String> running(List<String> command) {
        if (equals(ANY)) {
            return command;
        }
        List<String> pinned = new ArrayList<>(List.of("taskset", "-c", Integer.toString(number)));
        pinned.addAll(command);
        return pinned;
    }

    /** Pins the calling thread to this CPU; other threads of the JVM stay unpinned. */
    void pinThisThread() throws IOException {
        if (equals(ANY)) {
            return;
        }
        String thread = Files.readSymbolicLink(Path.of("/proc/thread-self"))
                .getFileName()
                .toString();
        Process taskset = new ProcessBuilder("taskset", "-c", "-p", Integer.toString(number), thread)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            if (!taskset.waitFor(10, TimeUnit.SECONDS) || taskset.exitValue() != 0) {
                throw new IOException("taskset cannot move the measuring thread to processor " + number);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for taskset", e);
        }
    }

    @Override
    public String toString() {
        return equals(ANY) ? "any" : Integer.toString(number);
    }
}
