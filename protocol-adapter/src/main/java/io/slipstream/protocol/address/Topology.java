// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.address;

import java.util.List;

/**
 * Brokers as a response named them, by their own addresses.
 *
 * @param brokers never empty
 * @param complete whether these are all live brokers (Metadata, DescribeCluster), else only some (coordinators, new
 *     leaders)
 * @param clusterId null if the response does not say
 * @param controllerId -1 if the response does not say
 */
public record Topology(List<Broker> brokers, boolean complete, String clusterId, int controllerId) {
    /** @param rack null if it has none or the response does not say */
    public record Broker(int nodeId, String host, int port, String rack) {}
}
