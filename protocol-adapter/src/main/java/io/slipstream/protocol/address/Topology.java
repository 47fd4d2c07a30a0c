// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.address;

import java.util.List;

/**
 * The brokers that a response names, with their own addresses.
 *
 * @param brokers never empty
 * @param complete whether the response names all live brokers (Metadata, DescribeCluster) or only some of them
 * @param clusterId null if the response does not carry it
 */
public record Topology(List<Broker> brokers, boolean complete, String clusterId) {
    public record Broker(int nodeId, String host, int port) {}
}
