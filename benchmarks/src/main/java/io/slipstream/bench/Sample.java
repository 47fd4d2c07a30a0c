// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

/**
 * One measurement and what it cost the processes on the way.
 *
 * @param round from 0
 * @param broker what the broker used meanwhile
 * @param proxy what the proxy on this way used meanwhile
 * @param requestsByRdma how many of the requests went by RDMA, as the proxy counts them
 * @param brokerIdleNs processor time that the broker uses in so much time anyway, measured in the same round; 0 if it was not measured
 * @param clientNs processor time of the measuring process, which is also that of the echo
 */
record Sample(
        Workload workload,
        Way way,
        int round,
        Measurement measurement,
        ProcessUse broker,
        ProcessUse proxy,
        long requestsByRdma,
        long brokerIdleNs,
        long clientNs) {
    /** What ratios are made of: the median round trip, with many in flight the time per operation, of a scan the time per MiB. Less is better. */
    double costUs() {
        if (workload.kind() == Workload.Kind.SCAN) {
            return measurement.elapsedNs() / 1e3 * (1 << 20) / measurement.recordBytes();
        }
        return workload.isThroughput() ? 1e6 / measurement.operationsPerSecond() : measurement.medianUs();
    }

    /** Processor time of the broker, without what it uses anyway, for a byte of whole batches, or for an operation where none are counted. */
    double brokerNsPerUnit() {
        long units = measurement.recordBytes() > 0 ? measurement.recordBytes() : measurement.operations();
        return (double) (broker.cpuNs() - brokerIdleNs) / units;
    }
}
