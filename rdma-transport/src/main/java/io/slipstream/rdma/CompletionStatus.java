// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

/**
 * Outcome of a work request, named after {@code ibv_wc_status} (ibv_poll_cq(3)). Any status but {@link #SUCCESS} means
 * that the queue pair is in {@link QueuePairState#ERROR}, and that all later requests complete with {@link
 * #WR_FLUSH_ERR}. The outcome at the target is unknown for the first failed one-sided write of a broken connection.
 */
public enum CompletionStatus {
    SUCCESS,
    /** The message is longer than the posted receive. */
    LOC_LEN_ERR,
    /** The lkey does not cover a local address range. */
    LOC_PROT_ERR,
    /** The request was flushed because the queue pair is in error. */
    WR_FLUSH_ERR,
    /** The rkey is unknown, the range is out of bounds, the access is not granted, or the region was revoked. */
    REM_ACCESS_ERR,
    /** The target found the request malformed. */
    REM_INV_REQ_ERR,
    /** The peer did not answer within the retry bound: it is dead or unreachable. */
    RETRY_EXC_ERR,
    /** The target had no receive posted within the RNR (receiver not ready) bound. */
    RNR_RETRY_EXC_ERR,
    /** Any other error: see {@link WorkCompletion#vendorError}. */
    GENERAL_ERR
}
