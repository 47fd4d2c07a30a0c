// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.address;

/** Where clients are to find brokers. Called by the thread that rewrites. */
public interface AddressMap {
    /**
     * What a response said of the cluster, before it is rewritten: so that listeners can be there before a client
     * comes.
     */
    void learn(Topology topology);

    /** The host under which clients reach that broker through the proxy; null leaves the broker's own address. */
    String host(int nodeId);

    /** The port that belongs to {@link #host}. */
    int port(int nodeId);
}
