// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import java.util.Locale;

/** The users of the quickstart. */
enum Role {
    /** May do everything; the broker itself is it as well, towards brokers. */
    ADMIN,
    /** Writes the events. */
    SENSORS,
    /** Reads them. */
    DASHBOARD,
    /** Has a password, and no rule that allows anything. */
    INTRUDER;

    String user() {
        return name().toLowerCase(Locale.ROOT);
    }
}
