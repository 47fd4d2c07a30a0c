// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.control;

/**
 * An aborted transaction, as a reader of one segment must know it.
 *
 * @param firstOffset of its first batch
 * @param lastOffset of its abort marker
 * @param listedFromBytes a broker's answer to a Fetch that reads this segment up to (not including) position {@code p}
 *     lists it if {@code p} is above this. Follows from the segment's sparse index of offsets; -1 if it is always
 *     listed
 */
public record AbortedTransaction(long producerId, long firstOffset, long lastOffset, int listedFromBytes) {}
