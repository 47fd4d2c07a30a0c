// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.transport;

import picocli.CommandLine.Option;

/** Options of {@link TransportSuite}. */
public final class TransportOptions {
    @Option(names = "--device", description = "RDMA device; by default the first one")
    private String device;

    @Option(names = "--iterations", description = "operations per measurement, ours and perftest's")
    private int iterations = 1_000;

    /** Null for the first device. */
    String device() {
        return device;
    }

    int iterations() {
        return iterations;
    }
}
