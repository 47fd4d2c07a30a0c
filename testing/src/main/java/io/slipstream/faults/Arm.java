// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults;

/** The way by which clients reach the brokers. Each seed takes all of them, with the same faults. */
public enum Arm {
    /** Clients straight to entirely stock brokers. */
    DIRECT("direct"),
    /** Through the proxies, RDMA switched off. */
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
