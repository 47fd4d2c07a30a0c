// SPDX-License-Identifier: Apache-2.0
package io.slipstream.quickstart;

import java.util.Locale;

/** The users of the quickstart. */
enum Role {
    /** May do everything. The broker also authenticates to brokers as this user. */
    ADMIN,
    /** Writes the events. */
    SENSORS,
    /** Reads the events. */
    DASHBOARD,
    /** Has a password but no ACL. */
    INTRUDER;

    String user() {
        return name().toLowerCase(Locale.ROOT);
    }
}
