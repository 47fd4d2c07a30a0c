// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

/**
 * What a device or completion queue has done since it was opened, for metrics. Values only grow. Each is written by the one
 * owner thread of a completion queue and may be read by any thread at any time; a reader sees recent, not simultaneous, values.
 * Reading allocates nothing and never delays the data path.
 */
public interface TransportCounters {
    /**
     * Operations that took effect. For operations of work requests: carried out for the initiator. For {@link Opcode#RECV} and
     * {@link Opcode#RECV_WITH_IMM}: delivered by a poll.
     */
    long operations(Opcode opcode);

    /** Payload bytes of those {@link #operations}; 8 for each atomic. */
    long bytes(Opcode opcode);

    /** Completions with that status that a poll delivered; those of {@link CompletionStatus#SUCCESS} are not counted. */
    long failures(CompletionStatus status);

    /** Requests that had to wait because the target had no receive posted or no room. */
    long receiverNotReady();

    /** Events written because the peer was sleeping; stays 0 where the hardware does this. */
    long wakeUps();
}
