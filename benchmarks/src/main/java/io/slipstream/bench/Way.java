// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

import io.slipstream.bench.report.Side;

/** The compared paths. */
enum Way {
    /** The client directly at the broker: the base of all ratios. */
    DIRECT("direct"),
    /** Through a proxy with RDMA off. */
    PROXY_TCP("proxy, TCP"),
    /** Through a proxy with RDMA on. */
    PROXY_RDMA("proxy, RDMA"),
    /** The client directly at a leader whose followers fetch by RDMA. Only where records are replicated. */
    FOLLOWERS("direct, followers RDMA"),
    /** Through a proxy with RDMA on, to such a leader. */
    BOTH("proxy and followers, RDMA"),
    /** A bare Netty echo of the same sizes: the cost of socket, kernel and event loop without Kafka. */
    ECHO("echo floor");

    private final String label;

    Way(String label) {
        this.label = label;
    }

    /** Returns whether the client's requests go by RDMA. */
    boolean isRdma() {
        return this == PROXY_RDMA || this == BOTH;
    }

    /** Returns whether the followers fetch by RDMA. */
    boolean hasRdmaFollowers() {
        return this == FOLLOWERS || this == BOTH;
    }

    boolean isProxied() {
        return isRdma() || this == PROXY_TCP;
    }

    String label() {
        return label;
    }

    Side side() {
        return new Side(name(), label);
    }
}
