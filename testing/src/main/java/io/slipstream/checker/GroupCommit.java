// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

/**
 * An offset that a group may have committed.
 *
 * @param invokedNs earliest time at which it may be in effect
 * @param atNs time at which it is known to be in effect; NEVER if unknown
 * @param certain whether it is in effect at {@code atNs}; otherwise it may never be
 */
record GroupCommit(long invokedNs, long atNs, long offset, boolean certain) {}
