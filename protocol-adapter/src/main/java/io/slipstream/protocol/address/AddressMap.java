// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.address;

/** Proxy addresses of the brokers. All methods are called by the thread that rewrites a response. */
public interface AddressMap {
    /**
     * Receives the topology of a response before it is rewritten, so that listeners exist before clients connect to
     * them.
     */
    void learn(Topology topology);

    /** The host at which clients reach the broker through the proxy. */
    String host(int nodeId);

    /** The port at which clients reach the broker; 0 if the proxy does not serve it: clients must not learn of it. */
    int port(int nodeId);
}
