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
    /** A bare Netty echo of the same sizes: the cost of socket, kernel and event loop without Kafka. */
    ECHO("echo floor");

    private final String label;

    Way(String label) {
        this.label = label;
    }

    boolean isRdma() {
        return this == PROXY_RDMA;
    }

    String label() {
        return label;
    }

    Side side() {
        return new Side(name(), label);
    }
}
