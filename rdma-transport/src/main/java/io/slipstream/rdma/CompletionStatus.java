// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

/**
 * Outcome of a work request, after {@code ibv_wc_status}. Anything but {@link #SUCCESS} means that the queue pair is in
 * {@link QueuePairState#ERROR}: all later requests complete with {@link #WR_FLUSH_ERR}. For the first failed one-sided
 * write of a broken connection the outcome at the target is unknown.
 */
public enum CompletionStatus {
    SUCCESS,
    /** A message longer than the receive buffer it met. */
    LOC_LEN_ERR,
    /** A local address range that its lkey does not cover. */
    LOC_PROT_ERR,
    /** Flushed because the queue pair is in error. */
    WR_FLUSH_ERR,
    /** Bad rkey, out of bounds, access not granted, or revoked region at the target. */
    REM_ACCESS_ERR,
    /** The target found the request malformed. */
    REM_INV_REQ_ERR,
    /** The peer did not answer within the retry bound; the peer is dead or unreachable. */
    RETRY_EXC_ERR,
    /** The target had no receive posted within the RNR bound. */
    RNR_RETRY_EXC_ERR,
    /** Anything else; see the vendor error. */
    GENERAL_ERR
}
