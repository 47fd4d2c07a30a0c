// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.crash;

import java.util.Locale;

/** Whom one kill strikes. Without proxies, the connections of all clients are reset in place of a proxy's death. */
public enum Victim {
    BROKER,
    PROXY,
    /** The broker within a few hundred milliseconds of the proxy: clients were cut off first, and may have sent again. */
    PROXY_THEN_BROKER,
    BROKER_THEN_PROXY;

    boolean strikesBroker() {
        return this != PROXY;
    }

    boolean strikesProxy() {
        return this != BROKER;
    }

    /** As in options and tables: {@code proxy-then-broker}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Throws IllegalArgumentException that names the label if there is no such victim. */
    public static Victim of(String label) {
        for (Victim victim : values()) {
            if (victim.label().equals(label)) {
                return victim;
            }
        }
        throw new IllegalArgumentException("there is no victim " + label);
    }
}
