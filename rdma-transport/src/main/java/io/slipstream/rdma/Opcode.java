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
    /** Completion of a receive that failed, or that anything but a {@link #WRITE_WITH_IMM} consumed. */
    RECV,
    /** Completion of a receive that a {@link #WRITE_WITH_IMM} consumed. {@code imm} and {@code byteLen} are set. */
    RECV_WITH_IMM
}
