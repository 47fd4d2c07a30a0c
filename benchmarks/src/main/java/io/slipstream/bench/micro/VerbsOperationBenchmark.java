// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.micro;

/** The {@code verbs} provider's operations on the machine's first RDMA device. Times include the work of the device. */
public class VerbsOperationBenchmark extends OperationBenchmark {
    public VerbsOperationBenchmark() {
        super("verbs");
    }
}
