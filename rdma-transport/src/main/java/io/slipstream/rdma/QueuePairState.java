// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

/**
 * Life of a reliable connected queue pair.
 *
 * <pre>
 *   CONNECTED ──(peer dead, failed request, disconnect by either side)──▶ ERROR ──close()──▶ CLOSED
 * </pre>
 *
 * In ERROR every outstanding request and receive completes with an error status, and posting answers
 * {@link PostStatus#NOT_CONNECTED}. There is no way back: connect anew.
 */
public enum QueuePairState {
    CONNECTED,
    ERROR,
    CLOSED
}
