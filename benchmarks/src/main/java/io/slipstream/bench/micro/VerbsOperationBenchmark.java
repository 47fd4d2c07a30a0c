// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.micro;

/** The {@code verbs} provider's operations, on the machine's first RDMA device. Completions come when the device has done the work, so times are the device's as well. */
public class VerbsOperationBenchmark extends OperationBenchmark {
    public VerbsOperationBenchmark() {
        super("verbs");
    }
}
