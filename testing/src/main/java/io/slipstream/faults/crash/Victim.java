// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import java.util.Locale;

/** The target of one kill. Without proxies, resetting the connections of all clients replaces a proxy's death. */
public enum Victim {
    BROKER,
    PROXY,
    /**
     * The broker dies within a few hundred milliseconds after the proxy: clients are disconnected first and may have
     * retried.
     */
    PROXY_THEN_BROKER,
    BROKER_THEN_PROXY;

    boolean strikesBroker() {
        return this != PROXY;
    }

    boolean strikesProxy() {
        return this != BROKER;
    }

    /** The label in options and tables: {@code proxy-then-broker}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Returns the victim of this label.
     *
     * @throws IllegalArgumentException that names an unknown label
     */
    public static Victim of(String label) {
        for (Victim victim : values()) {
            if (victim.label().equals(label)) {
                return victim;
            }
        }
        throw new IllegalArgumentException("unknown victim " + label);
    }
}
