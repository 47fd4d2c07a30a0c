package io.slipstream.bench;

/**
 * One measurement and what it cost the processes on the way.
 *
 * @param round from 0
 * @param brokerCpuNs processor time of the broker meanwhile
 * @param proxyCpuNs processor time of the proxy on this way meanwhile
 * @param requestsByRdma how many of the requests went by RDMA, as the proxy counts them
 */
record Sample(
        Workload workload,
        Way way,
        int round,
        Measurement measurement,
        long brokerCpuNs,
        long proxyCpuNs,
        long requestsByRdma) {
    /** What ratios are made of: the median round trip, or with many in flight the time per operation. Less is better. */
    double costUs() {
        return workload.isThroughput() ? 1e6 / measurement.operationsPerSecond() : measurement.medianUs();
    }
}
