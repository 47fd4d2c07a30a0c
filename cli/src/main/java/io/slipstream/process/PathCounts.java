// SPDX-License-Identifier: Apache-2.0
package io.slipstream.process;

/** Records by direction and path, as the proxy counts them. */
public record PathCounts(long rdmaProduced, long rdmaFetched, long tcpProduced, long tcpFetched) {
    /** All counts 0. */
    public static final PathCounts NONE = new PathCounts(0, 0, 0, 0);

    private static final String RECORDS = "slipstream_records_total";

    public static PathCounts in(MetricSamples samples) {
        return new PathCounts(
                samples.count(RECORDS, "api", "PRODUCE", "path", "rdma"),
                samples.count(RECORDS, "api", "FETCH", "path", "rdma"),
                samples.count(RECORDS, "api", "PRODUCE", "path", "tcp"),
                samples.count(RECORDS, "api", "FETCH", "path", "tcp"));
    }

    /** Returns the sum of both counts, for totals over several proxies. */
    public PathCounts plus(PathCounts other) {
        return new PathCounts(
                rdmaProduced + other.rdmaProduced,
                rdmaFetched + other.rdmaFetched,
                tcpProduced + other.tcpProduced,
                tcpFetched + other.tcpFetched);
    }

    public long byRdma() {
        return rdmaProduced + rdmaFetched;
    }

    /** Returns the RDMA share of all records, from 0 to 1; 0 without records. */
    public double rdmaShare() {
        return (double) byRdma() / Math.max(1, byRdma() + tcpProduced + tcpFetched);
    }

    /** Returns the increase since an earlier scrape. */
    public PathCounts since(PathCounts before) {
        return new PathCounts(
                rdmaProduced - before.rdmaProduced,
                rdmaFetched - before.rdmaFetched,
                tcpProduced - before.tcpProduced,
                tcpFetched - before.tcpFetched);
    }
}
