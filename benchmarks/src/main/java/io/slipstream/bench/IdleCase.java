// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

/** The waiting consumers while broker and proxy are measured. */
enum IdleCase {
    /** The idle use of broker and proxies, the base of all differences. */
    NOBODY("no consumer", null),
    DIRECT("direct", Way.DIRECT),
    PROXY_TCP("proxy, TCP", Way.PROXY_TCP),
    PROXY_RDMA("proxy, RDMA", Way.PROXY_RDMA);

    private final String label;
    private final Way way;

    IdleCase(String label, Way way) {
        this.label = label;
        this.way = way;
    }

    String label() {
        return label;
    }

    /** Returns the way of the consumers; null without consumers. */
    Way way() {
        return way;
    }
}
