package io.slipstream.harness;

/** Records by direction and path, as the proxy counts them. */
public record PathCounts(long rdmaProduced, long rdmaFetched, long tcpProduced, long tcpFetched) {
    private static final String RECORDS = "slipstream_records_total";

    public static PathCounts in(MetricSamples samples) {
        return new PathCounts(
                samples.count(RECORDS, "api", "PRODUCE", "path", "rdma"),
                samples.count(RECORDS, "api", "FETCH", "path", "rdma"),
                samples.count(RECORDS, "api", "PRODUCE", "path", "tcp"),
                samples.count(RECORDS, "api", "FETCH", "path", "tcp"));
    }

    /** What was added since an earlier scrape. */
    public PathCounts since(PathCounts before) {
        return new PathCounts(
                rdmaProduced - before.rdmaProduced,
                rdmaFetched - before.rdmaFetched,
                tcpProduced - before.tcpProduced,
                tcpFetched - before.tcpFetched);
    }
}
