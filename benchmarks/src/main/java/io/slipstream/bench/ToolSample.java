// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.report.Metric;
import io.slipstream.process.PathCounts;
import java.util.Map;

/**
 * One run of a tool from start to exit.
 *
 * @param records records of the whole run, including those that the tool does not time; of a paced job only the timed
 *     ones, as its CPU times
 * @param costUs cost per record, as the tool reports it
 * @param start what the tool reports about its start
 * @param brokerNs CPU time of the broker during the run
 * @param proxyNs CPU time of the proxy on this way
 * @param paths paths of the records, as the proxy counts them
 */
record ToolSample(
        StockTool tool,
        Way way,
        int round,
        int records,
        double costUs,
        Map<Metric, Double> start,
        long brokerNs,
        long proxyNs,
        PathCounts paths) {
    long processorsNs() {
        return brokerNs + proxyNs;
    }

    /** At least 1, so that it divides. */
    double firstSecond() {
        return Math.max(1, start.get(Metric.FIRST_SECOND));
    }

    /** Returns why the sample is not valid, or null. */
    String problem() {
        if (!tool.keptUp(costUs)) {
            return String.format("did not keep up with its load, processed %.0f records/s", 1e6 / costUs);
        }
        boolean ended = start.getOrDefault(Metric.FIRST_SECOND, 0.0) >= records;
        return ended ? "the backlog ended within the first second" : null;
    }

    double bytes() {
        return (double) records * tool.recordBytes();
    }
}
