// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/** When a resource was counted. */
public enum ResourcePhase {
    /** Before the first client came. */
    BASELINE,
    /** After the last client left and the system had time to give everything back. */
    END
}
