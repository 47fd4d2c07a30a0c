// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench.report;

/**
 * The metrics of a workload on a way, in the order of table columns. Ratios and shares are relative to the direct way.
 */
public enum Metric {
    MEDIAN("medianUs", "median us", "all rounds together"),
    P99("p99Us", "p99 us", "99th percentile, all rounds together"),
    LONGEST("longestUs", "longest us", "all rounds together; with a missed wake-up a fetch wait of 500 ms"),
    MEAN("meanUs", "mean us", "mean, of a tool that reports no percentiles"),
    RATE("operationsPerSecond", "op/s", "operations per second"),
    LOAD_WITHIN(
            "operationsPerSecondWithinLimit",
            "op/s in limit",
            "answers per second at the highest load with a p99 within the limit, 0 without such a load"),
    START("startMs", "start ms", "from the start of a job's main method until it has its partitions and runs"),
    START_RATIO("startRatio", "start ratio", "that time relative to direct within a round; below 1 is better"),
    FIRST_SECOND("firstSecondRecords", "1st s", "records that a job processes in the first second that it runs"),
    FIRST_SECOND_RATIO(
            "firstSecondRatio",
            "1st s ratio",
            "direct's records of that second relative to this way's, within a round; below 1 is better"),
    BANDWIDTH("megabytesPerSecond", "MB/s", "10^6 bytes of whole batches per second"),
    RATIO(
            "ratio",
            "ratio",
            "cost (median, or time per operation or byte) relative to direct within a round; below 1 is better"),
    P99_RATIO("p99Ratio", "p99 ratio", "the same for the 99th percentile"),
    FLOOR_RATIO("floorRatio", "of floor", "cost relative to the floor within a round"),
    BROKER_TIME(
            "brokerUsPerOperation",
            "broker us/op",
            "processor time of the broker for each operation, without its idle where that was measured"),
    BROKER_PER_GIGABYTE("brokerSecondsPerGigabyte", "broker s/GB", "the same for each 10^9 bytes of whole batches"),
    BROKER_SHARE(
            "brokerShare",
            "broker share",
            "that processor time relative to direct, all rounds together (lowest to highest round)"),
    PROCESSOR_SHARE(
            "processorShare",
            "cpu share",
            "processor time of broker and proxy together relative to the broker's of direct, all rounds together"
                    + " (lowest to highest round)"),
    BROKER_IDLE("brokerIdle", "broker idle", "the subtracted use of the idle broker, of one processor", true),
    PROXY_TIME("proxyUsPerOperation", "proxy us/op", "processor time of the proxy for each operation"),
    PROXY_PER_GIGABYTE("proxySecondsPerGigabyte", "proxy s/GB", "the same for each 10^9 bytes"),
    CLIENT_TIME(
            "clientUsPerOperation",
            "client us/op",
            "processor time of the client, and of the floor's server, for each operation"),
    CLIENT_PER_GIGABYTE("clientSecondsPerGigabyte", "client s/GB", "the same for each 10^9 bytes"),
    BROKER_TURNS(
            "brokerTurnsPerOperation",
            "broker turns/op",
            "how often a thread of the broker begins to run: each time it was woken, or had lost its processor"),
    PROXY_TURNS("proxyTurnsPerOperation", "proxy turns/op", "the same of the proxy"),
    BROKER_BYTES("brokerBytesPerOperation", "broker B/op", "heap that the broker's request threads allocate"),
    PROXY_BYTES("proxyBytesPerOperation", "proxy B/op", "heap that the proxy's event loops allocate"),
    POLLS("pollsPerSecond", "polls/s", "long polls answered per second"),
    BROKER_USE("broker", "broker", "processor time of the broker, of one processor", true),
    BROKER_ADDED(
            "brokerAdded",
            "added",
            "processor time of the broker with consumers minus that without, within a round",
            true),
    PROXY_USE("proxy", "proxy", "processor time of the proxy, of one processor", true),
    CLIENT_USE("client", "client", "processor time of the client, of one processor", true),
    ACKED_MEDIAN("acknowledgedMedianUs", "acked p50 us", "from sending a record to its acknowledgement"),
    FIRST_MEDIAN(
            "firstWakeUpMedianUs", "first p50 us", "from sending a record until the first waiting consumer has it"),
    FIRST_P99("firstWakeUpP99Us", "first p99 us", "99th percentile of the same time"),
    RDMA_SHARE("rdmaShare", "rdma", "share of the requests that went by RDMA", true);

    private final String key;
    private final String heading;
    private final String meaning;
    private final boolean percent;

    Metric(String key, String heading, String meaning) {
        this(key, heading, meaning, false);
    }

    Metric(String key, String heading, String meaning, boolean percent) {
        this.key = key;
        this.heading = heading;
        this.meaning = meaning;
        this.percent = percent;
    }

    /** Returns the key in JSON, with the unit if there is one. */
    public String key() {
        return key;
    }

    /** Returns the heading in tables. */
    public String heading() {
        return heading;
    }

    public String meaning() {
        return meaning;
    }

    /** Returns whether the value is a share from 0 to 1, shown in percent. */
    public boolean isPercent() {
        return percent;
    }
}
