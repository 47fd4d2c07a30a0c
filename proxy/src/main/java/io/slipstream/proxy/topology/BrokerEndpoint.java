// SPDX-License-Identifier: Apache-2.0
package io.slipstream.proxy.topology;

/** The address at which a broker itself listens for clients. */
public record BrokerEndpoint(int nodeId, String host, int port) {
    @Override
    public String toString() {
        return "broker " + nodeId + " (" + host + ":" + port + ")";
    }
}
