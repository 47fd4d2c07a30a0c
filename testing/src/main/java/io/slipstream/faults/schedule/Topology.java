// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.schedule;

/**
 * The number of processes of a run.
 *
 * @param brokers 1 or 3, each also a controller
 * @param proxies 1 or 2, which share the clients
 */
public record Topology(int brokers, int proxies) {
    public Topology {
        if (brokers != 1 && brokers != 3) {
            throw new IllegalArgumentException("brokers must be 1 or 3, not " + brokers);
        }
        if (proxies < 1 || proxies > 2) {
            throw new IllegalArgumentException("proxies must be 1 or 2, not " + proxies);
        }
    }

    public int count(Role role) {
        return role == Role.PROXY ? proxies : brokers;
    }

    @Override
    public String toString() {
        return brokers + (brokers == 1 ? " broker, " : " brokers, ") + proxies + (proxies == 1 ? " proxy" : " proxies");
    }
}
