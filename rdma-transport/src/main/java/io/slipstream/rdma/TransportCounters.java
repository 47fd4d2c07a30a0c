// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

/**
 * Counters of a device since it was opened. Values only grow. The owner thread of a completion queue writes its values;
 * any thread may read them at any time. A reader sees recent values, which are not a consistent snapshot. Reading
 * allocates nothing and never delays the data path.
 */
public interface TransportCounters {
    /**
     * Operations that took effect. Work requests count at the initiator. {@link Opcode#RECV} and {@link
     * Opcode#RECV_WITH_IMM} count when a poll delivers them.
     */
    long operations(Opcode opcode);

    /** Payload bytes of these {@link #operations}. */
    long bytes(Opcode opcode);

    /** Completions with that status that a poll delivered. {@link CompletionStatus#SUCCESS} is not counted. */
    long failures(CompletionStatus status);

    /** Events written to wake a sleeping peer. Always 0 where the hardware does this. */
    long wakeUps();
}
