// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/** How a consumer comes to its partitions. */
public enum ConsumerKind {
    /** {@code assign} and {@code seek}. */
    ASSIGNED,
    /** {@code subscribe}, as a member of a group. */
    GROUP,
    /** At the end of the run, with no fault left: {@code assign} and {@code seek(0)}, until everything was read. */
    FROM_ZERO
}
