// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.micro;

/** The {@code shm} provider's operations. */
public class ShmOperationBenchmark extends OperationBenchmark {
    public ShmOperationBenchmark() {
        super("shm");
    }
}
