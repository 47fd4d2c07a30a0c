// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import java.io.IOException;
import java.util.regex.Pattern;

/**
 * Resource use of a process so far, or between two readings.
 *
 * @param cpuNs CPU time, user and system
 * @param turns how often a thread began to run
 * @param allocatedBytes heap allocation by request threads
 */
record ProcessUse(long cpuNs, long turns, long allocatedBytes) {
    static final ProcessUse NONE = new ProcessUse(0, 0, 0);

    ProcessUse since(ProcessUse before) {
        return new ProcessUse(cpuNs - before.cpuNs, turns - before.turns, allocatedBytes - before.allocatedBytes);
    }

    ProcessUse plus(ProcessUse other) {
        return new ProcessUse(cpuNs + other.cpuNs, turns + other.turns, allocatedBytes + other.allocatedBytes);
    }

    /** Reads one process. */
    static final class Meter implements AutoCloseable {
        private final ProcessCpu cpu;
        private final AllocationMeter allocations;

        Meter(long pid, Pattern threadNames) throws IOException {
            this.cpu = ProcessCpu.of(pid);
            this.allocations = AllocationMeter.attach(pid, threadNames);
        }

        ProcessUse read() {
            return new ProcessUse(cpu.readNs(), cpu.turns(), allocations.readBytes());
        }

        @Override
        public void close() throws IOException {
            allocations.close();
        }
    }
}
