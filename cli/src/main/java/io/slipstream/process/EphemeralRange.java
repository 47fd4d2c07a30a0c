// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The ports that the kernel gives to outgoing connections, both ends inclusive. */
record EphemeralRange(int lowest, int highest) {
    private static final Path KERNEL = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
    private static final EphemeralRange USUAL = new EphemeralRange(32_768, 60_999);

    /** Returns Linux's usual range if the kernel does not tell. */
    static EphemeralRange ofKernel() {
        try {
            return parse(Files.readString(KERNEL));
        } catch (IOException | NumberFormatException unknown) {
            return USUAL;
        }
    }

    static EphemeralRange parse(String text) {
        String[] ends = text.trim().split("\\s+", 2);
        return ends.length == 2 ? new EphemeralRange(Integer.parseInt(ends[0]), Integer.parseInt(ends[1])) : USUAL;
    }

    boolean touches(int first, int count) {
        return first <= highest && first + count > lowest;
    }

    @Override
    public String toString() {
        return lowest + " to " + highest;
    }
}
