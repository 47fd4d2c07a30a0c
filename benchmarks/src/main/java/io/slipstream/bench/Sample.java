package io.slipstream.bench;

/**
 * One measurement and what it cost the processes on the way.
 *
 * @param round from 0
 * @param broker what the broker used meanwhile
 * @param proxy what the proxy on this way used meanwhile
 * @param requestsByRdma how many of the requests went by RDMA, as the proxy counts them
 */
record Sample(
        Workload workload,
        Way way,
        int round,
        Measurement measurement,
        ProcessUse broker,
        ProcessUse proxy,
        long requestsByRdma) {
    /** What ratios are made of: the median round trip, or with many in flight the time per operation. Less is better. */
    double costUs() {
        return workload.isThroughput() ? 1e6 / measurement.operationsPerSecond() : measurement.medianUs();
    }
}
