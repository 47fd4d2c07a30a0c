// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

/** Operations of work requests, and of the completions they cause (ibv_post_send(3), ibv_poll_cq(3)). */
public enum Opcode {
    /** One-sided write. The target's CPU is not involved. */
    WRITE,
    /** One-sided write that consumes a receive at the target and completes there as {@link #RECV_WITH_IMM}. */
    WRITE_WITH_IMM,
    /** One-sided read into local memory. */
    READ,
    /** Adds to an aligned 8-byte word and stores its previous value in local memory. */
    FETCH_AND_ADD,
    /**
     * Replaces an aligned 8-byte word if it equals the compare value, and stores its previous value in local memory.
     */
    COMPARE_AND_SWAP,
    /** Two-sided message into the target's next receive buffer. */
    SEND,
    /** Completion of a receive that a {@link #SEND} consumed. */
    RECV,
    /** Completion of a receive that a {@link #WRITE_WITH_IMM} consumed. {@code imm} and {@code byteLen} are set. */
    RECV_WITH_IMM
}
