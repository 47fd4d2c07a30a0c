// SPDX-License-Identifier: Apache-2.0
package io.slipstream.rdma;

/**
 * One completion, filled in by {@link CompletionQueue#poll}. Callers allocate holders once and pass the same ones to
 * every poll. The fields are valid until the next poll with that holder. All fields are set for every status.
 */
public final class WorkCompletion {
    /** The {@code wrId} of the completed request or receive. */
    public long wrId;

    public CompletionStatus status;
    public Opcode opcode;
    /** Bytes that the peer wrote (RECV_WITH_IMM) or that were read (READ). */
    public int byteLen;
    /** Immediate data of RECV_WITH_IMM, with the value that the peer passed. */
    public int imm;
    /** {@link QueuePair#number()} of the local queue pair. */
    public int qpNumber;
    /** The provider's own error code, 0 if none. */
    public int vendorError;

    /** Sets all fields, without an error code of the provider. */
    public void set(long wrId, Opcode opcode, CompletionStatus status, int byteLen, int imm, int qpNumber) {
        this.wrId = wrId;
        this.status = status;
        this.opcode = opcode;
        this.byteLen = byteLen;
        this.imm = imm;
        this.qpNumber = qpNumber;
        this.vendorError = 0;
    }

    @Override
    public String toString() {
        return "WorkCompletion{wrId=" + wrId + ", status=" + status + ", opcode=" + opcode + ", byteLen=" + byteLen
                + ", imm=" + imm + ", qpNumber=" + qpNumber + ", vendorError=" + vendorError + "}";
    }
}
