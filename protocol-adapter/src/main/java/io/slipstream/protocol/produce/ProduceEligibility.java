// SPDX-License-Identifier: Apache-2.0
package io.slipstream.protocol.produce;

/** Whether a Produce request may use RDMA, or the reason why not. */
public enum ProduceEligibility {
    ELIGIBLE,
    /** A version before 3, or newer than known here. */
    UNSUPPORTED_VERSION,
    /** A length or count exceeds the frame; the broker must answer. */
    MALFORMED,
    /** The request has no partition. */
    EMPTY,
    /** A partition without records. */
    NO_RECORDS,
    /** A partition with more than one batch, or with one that does not end with its records. */
    NOT_ONE_BATCH,
    /** A batch of the old message formats. */
    OLD_MAGIC
}
