// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

/**
 * An offset that a group may have committed.
 *
 * @param invokedNs from when on it may have been in force
 * @param atNs when it was known to be; never if that is not known
 * @param certain whether it was in force at {@code atNs}, else perhaps never
 */
record GroupCommit(long invokedNs, long atNs, long offset, boolean certain) {}
