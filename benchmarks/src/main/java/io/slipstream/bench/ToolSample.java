// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.process.PathCounts;

/**
 * One run of a tool from start to exit.
 *
 * @param records records of the whole run, including those that the tool does not time
 * @param costUs cost per record, as the tool reports it
 * @param brokerNs CPU time of the broker during the run
 * @param proxyNs CPU time of the proxy on this way
 * @param paths paths of the records, as the proxy counts them
 */
record ToolSample(
        StockTool tool, Way way, int round, int records, double costUs, long brokerNs, long proxyNs, PathCounts paths) {
    long processorsNs() {
        return brokerNs + proxyNs;
    }

    double bytes() {
        return (double) records * tool.recordBytes();
    }
}
