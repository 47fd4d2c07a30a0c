// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.transport;

import io.slipstream.rdma.Opcode;
import java.util.List;

/** The measured operation, and the perftest program for the same operation. */
enum Experiment {
    /**
     * Ping-pong; half a round trip. The receive completion reports the arrival, which is more work than perftest's
     * polling of memory.
     */
    WRITE_WITH_IMM_64(Opcode.WRITE_WITH_IMM, 64, List.of("ib_write_lat", "-s", "64")),
    READ_64(Opcode.READ, 64, List.of("ib_read_lat", "-s", "64")),
    READ_4096(Opcode.READ, 4096, List.of("ib_read_lat", "-s", "4096")),
    /**
     * Ping-pong; half a round trip. Both sides poll memory, as perftest does; Slipstream itself never relies on that.
     */
    WRITE_64(Opcode.WRITE, 64, List.of("ib_write_lat", "-s", "64"));

    private final Opcode opcode;
    private final int sizeBytes;
    private final List<String> perftest;

    Experiment(Opcode opcode, int sizeBytes, List<String> perftest) {
        this.opcode = opcode;
        this.sizeBytes = sizeBytes;
        this.perftest = perftest;
    }

    Opcode opcode() {
        return opcode;
    }

    int sizeBytes() {
        return sizeBytes;
    }

    List<String> perftest() {
        return perftest;
    }

    /** Returns whether the peer answers each write with one of its own. */
    boolean isPingPong() {
        return opcode == Opcode.WRITE_WITH_IMM || opcode == Opcode.WRITE;
    }

    String label() {
        return opcode.name() + ' ' + sizeBytes + " B";
    }
}
