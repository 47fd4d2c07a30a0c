package io.slipstream.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Processor time of other processes, from {@code /proc/PID/stat}; its grain is one clock tick, usually 10 ms. */
final class ProcessCpu {
    private static final long TICK_NS = 10_000_000;
    private static final int FIELDS_AFTER_NAME_TO_UTIME = 11;

    private ProcessCpu() {}

    /** User and system time so far in nanoseconds; 0 where there is no such file. */
    static long readNs(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return (Long.parseLong(fields[FIELDS_AFTER_NAME_TO_UTIME])
                            + Long.parseLong(fields[FIELDS_AFTER_NAME_TO_UTIME + 1]))
                    * TICK_NS;
        } catch (IOException e) {
            return 0;
        }
    }
}
