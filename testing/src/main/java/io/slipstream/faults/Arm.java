// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

/** The path from clients to the brokers. Each seed runs in all arms with the same faults. */
public enum Arm {
    /** Clients connect directly to stock brokers without the plugin. */
    DIRECT("direct"),
    /** Through the proxies, with RDMA off. */
    TCP("proxy, TCP"),
    /** Through the proxies, with RDMA. */
    RDMA("proxy, RDMA");

    private final String title;

    Arm(String title) {
        this.title = title;
    }

    public boolean hasProxies() {
        return this != DIRECT;
    }

    @Override
    public String toString() {
        return title;
    }
}
