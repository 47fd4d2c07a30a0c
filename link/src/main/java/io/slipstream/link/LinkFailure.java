// SPDX-License-Identifier: Apache-2.0
package io.slipstream.link;

import java.util.Locale;

/** Why a link could not be set up or ended; the lower-case name is the metric's label. */
enum LinkFailure {
    /** The control connection is gone. */
    CONTROL_LOST,
    /** The plugin refused, or answered nonsense. */
    REFUSED,
    /** A step of the set-up did not end in time. */
    TIMEOUT,
    /** The provider that the plugin offers is not usable here, or not the one that is set. */
    PROVIDER,
    /** The device could not connect or had no memory. */
    CONNECT,
    /** The queue pair broke. */
    QUEUE_PAIR,
    /** The peer broke the rules of docs/protocol.md. */
    PROTOCOL,
    /** This side is shutting down. */
    CLOSED;

    private final String label = name().toLowerCase(Locale.ROOT);

    String label() {
        return label;
    }
}
