// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

/**
 * States of a reliable connected queue pair.
 *
 * <pre>
 *   CONNECTED ──(peer dead, failed request, disconnect by either side)──▶ ERROR ──close()──▶ CLOSED
 * </pre>
 *
 * <p>In ERROR every outstanding request and receive completes with an error status, and posting returns {@link
 * PostStatus#NOT_CONNECTED}. A queue pair never leaves ERROR for CONNECTED: open a new connection.
 */
public enum QueuePairState {
    CONNECTED,
    ERROR,
    CLOSED
}
