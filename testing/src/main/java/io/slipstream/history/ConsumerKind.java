// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/** How a consumer gets its partitions. */
public enum ConsumerKind {
    /** {@code assign} and {@code seek}. */
    ASSIGNED,
    /** {@code subscribe}, as a member of a group. */
    GROUP,
    /** At the end of the run, after the last fault: {@code assign} and {@code seek(0)}, until everything is read. */
    FROM_ZERO
}
