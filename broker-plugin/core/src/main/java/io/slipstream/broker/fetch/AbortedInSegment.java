// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.protocol.control.AbortedTransaction;
import java.util.List;

/**
 * Aborted transactions that were in the transaction indexes when the log was asked.
 *
 * @param endOffset end of the complete range: all transactions that overlap the requested range below this offset are
 *     listed; {@code Long.MAX_VALUE} for the active segment
 * @param reachesEnd whether the list covers the segment up to its end
 * @param transactions in the order of the broker's list
 */
public record AbortedInSegment(long endOffset, boolean reachesEnd, List<AbortedTransaction> transactions) {}
