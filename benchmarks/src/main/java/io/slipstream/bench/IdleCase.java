// SPDX-License-Identifier: Apache-2.0
package io.slipstream.bench;

/** Who waits for records while broker and proxy are measured. */
enum IdleCase {
    /** What broker and proxies use without any consumer: the base of all differences. */
    NOBODY("nobody", null),
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

    /** How the consumers are connected; null if there are none. */
    Way way() {
        return way;
    }
}
