// SPDX-License-Identifier: Apache-2.0
package io.slipstream.it.differential;

import io.slipstream.process.MetricSamples;

/** Produce and Fetch requests by RDMA and by TCP: one reading of the proxy's counters, or a difference. */
record RequestCounts(long produceByRdma, long fetchByRdma, long produceByTcp, long fetchByTcp) {
    static final RequestCounts NONE = new RequestCounts(0, 0, 0, 0);

    /** All 0 without a proxy or with RDMA off. */
    static RequestCounts read(Arm arm) {
        if (!arm.kind().byRdma()) {
            return NONE;
        }
        MetricSamples metrics = arm.proxy().metrics();
        return new RequestCounts(
                answered(metrics, Case.Api.PRODUCE, "rdma"),
                answered(metrics, Case.Api.FETCH, "rdma"),
                answered(metrics, Case.Api.PRODUCE, "tcp"),
                answered(metrics, Case.Api.FETCH, "tcp"));
    }

    private static long answered(MetricSamples metrics, Case.Api api, String path) {
        return metrics.count("slipstream_requests_total", "api", api.label(), "path", path);
    }

    RequestCounts plus(RequestCounts other) {
        return new RequestCounts(
                produceByRdma + other.produceByRdma,
                fetchByRdma + other.fetchByRdma,
                produceByTcp + other.produceByTcp,
                fetchByTcp + other.fetchByTcp);
    }

    RequestCounts minus(RequestCounts other) {
        return new RequestCounts(
                produceByRdma - other.produceByRdma,
                fetchByRdma - other.fetchByRdma,
                produceByTcp - other.produceByTcp,
                fetchByTcp - other.fetchByTcp);
    }

    long byRdma(Case.Api api) {
        return api == Case.Api.PRODUCE ? produceByRdma : fetchByRdma;
    }

    long byTcp(Case.Api api) {
        return api == Case.Api.PRODUCE ? produceByTcp : fetchByTcp;
    }
}
