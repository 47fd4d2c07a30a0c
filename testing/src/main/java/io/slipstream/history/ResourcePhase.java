// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/** The time of a resource count. */
public enum ResourcePhase {
    /** Before the first client. */
    BASELINE,
    /** After the last client, when the system had time to release everything. */
    END
}
