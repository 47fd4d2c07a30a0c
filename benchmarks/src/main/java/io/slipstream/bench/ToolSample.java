// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.process.PathCounts;

/**
 * One run of a tool, from its start to its exit.
 *
 * @param records of the whole run, also those that the tool does not time
 * @param costUs for each record, as the tool says
 * @param brokerNs processor time of the broker meanwhile
 * @param proxyNs of the proxy on this way
 * @param paths which way the proxy says that records went
 */
record ToolSample(
        StockTool tool, Way way, int round, int records, double costUs, long brokerNs, long proxyNs, PathCounts paths) {
    double bytes() {
        return (double) records * tool.recordBytes();
    }
}
