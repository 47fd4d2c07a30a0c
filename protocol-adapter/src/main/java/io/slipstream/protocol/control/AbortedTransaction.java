// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.control;

/**
 * An aborted transaction that overlaps a segment.
 *
 * @param firstOffset base offset of its first batch
 * @param lastOffset offset of its abort marker
 * @param listedFromBytes a broker's answer to a Fetch that reads this segment up to position {@code p} (exclusive)
 *     lists the transaction if {@code p} is above this value. It follows from the sparse offset index; -1: always
 *     listed
 */
public record AbortedTransaction(long producerId, long firstOffset, long lastOffset, int listedFromBytes) {}
