// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.protocol.control.AbortedTransaction;
import java.util.List;

/**
 * Aborted transactions that were indexed when a log was asked for them.
 *
 * @param endOffset all that overlap offsets below it (and the range asked for) are listed; {@code Long.MAX_VALUE} for a
 *     segment that is appended to
 * @param reachesEnd whether nothing of the segment lies behind it
 * @param transactions in the order in which the broker lists them
 */
public record AbortedInSegment(long endOffset, boolean reachesEnd, List<AbortedTransaction> transactions) {}
