// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

/**
 * One measurement and the resource use of the processes on the way.
 *
 * @param round from 0
 * @param broker use of the broker
 * @param proxy use of the proxy on this way
 * @param requestsByRdma requests by RDMA, as the proxy counts them
 * @param brokerIdleNs CPU time of the idle broker in the same length of time and round; 0 if not measured
 * @param clientNs CPU time of the measuring process, which includes the echo
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
    /**
     * The base of ratios: the median round trip; with many in flight the time per operation; for a scan the time per
     * MiB. Lower is better.
     */
    double costUs() {
        if (workload.kind() == Workload.Kind.SCAN) {
            return measurement.elapsedNs() / 1e3 * (1 << 20) / measurement.recordBytes();
        }
        return workload.isThroughput() ? 1e6 / measurement.operationsPerSecond() : measurement.medianUs();
    }

    /** CPU time of the broker, without its idle use, per byte of whole batches, or per operation without bytes. */
    double brokerNsPerUnit() {
        return (double) (broker.cpuNs() - brokerIdleNs) / units();
    }

    /** The same of broker and proxy together. */
    double processorNsPerUnit() {
        return brokerNsPerUnit() + (double) proxy.cpuNs() / units();
    }

    double brokerUsPerOperation() {
        return (broker.cpuNs() - brokerIdleNs) / 1e3 / measurement.operations();
    }

    /** CPU time of broker and proxy. */
    double processorUsPerOperation() {
        return (broker.cpuNs() - brokerIdleNs + proxy.cpuNs()) / 1e3 / measurement.operations();
    }

    private long units() {
        return measurement.recordBytes() > 0 ? measurement.recordBytes() : measurement.operations();
    }
}
