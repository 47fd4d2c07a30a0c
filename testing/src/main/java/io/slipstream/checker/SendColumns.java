// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import io.slipstream.history.Outcome;
import io.slipstream.history.ProducerKind;
import io.slipstream.history.ValueId;

/** All sends of one producer, by sequence, 46 bytes each. */
final class SendColumns {
    /** Seen by a final read_uncommitted reader. */
    static final int READ_AT_END = 1;
    /** Seen by a final read_committed reader. */
    static final int READ_COMMITTED_AT_END = 1 << 1;
    /** A commit marker follows in the log. */
    static final int COMMITTED_IN_LOG = 1 << 2;
    /** An abort marker follows in the log. */
    static final int ABORTED_IN_LOG = 1 << 3;
    /** Seen by any poll. */
    static final int POLLED = 1 << 4;
    /** Found at more than one offset. */
    static final int DUPLICATED = 1 << 5;

    static final long NEVER = Long.MAX_VALUE;

    final int producer;
    final ProducerKind kind;
    final int acks;
    final boolean retries;
    final String transactionalId;

    private int end;
    private final LongColumn invokedNs = new LongColumn(NEVER);
    private final LongColumn completedNs = new LongColumn(NEVER);
    private final LongColumn ackedOffsets = new LongColumn(-1);
    private final LongColumn seenOffsets = new LongColumn(-1);
    private final IntColumn partitions = new IntColumn(-1);
    private final IntColumn digests = new IntColumn(0);
    private final IntColumn transactions = new IntColumn(-1);
    private final ByteColumn outcomes = new ByteColumn((byte) Outcome.UNKNOWN.ordinal());
    private final ByteColumn flags = new ByteColumn((byte) 0);
    private final ByteColumn replicas = new ByteColumn((byte) 0);
    /** Only for copies. */
    private final LongColumn sources = new LongColumn(ValueId.NONE);

    private static final Outcome[] OUTCOMES = Outcome.values();

    SendColumns(int producer, ProducerKind kind, int acks, boolean retries, String transactionalId) {
        this.producer = producer;
        this.kind = kind;
        this.acks = acks;
        this.retries = retries;
        this.transactionalId = transactionalId;
    }

    void invoke(int sequence, long atNs, int partition, int transaction, int digest, long source) {
        end = Math.max(end, sequence + 1);
        invokedNs.set(sequence, atNs);
        partitions.set(sequence, partition);
        digests.set(sequence, digest);
        if (transaction >= 0) {
            transactions.set(sequence, transaction);
        }
        if (source != ValueId.NONE) {
            sources.set(sequence, source);
        }
    }

    void complete(int sequence, long atNs, Outcome outcome, long offset) {
        completedNs.set(sequence, atNs);
        outcomes.set(sequence, (byte) outcome.ordinal());
        ackedOffsets.set(sequence, offset);
    }

    /** Returns one past the highest sequence. */
    int end() {
        return end;
    }

    boolean isInvoked(int sequence) {
        return sequence >= 0 && sequence < end && invokedNs.get(sequence) != NEVER;
    }

    long invokedNs(int sequence) {
        return invokedNs.get(sequence);
    }

    long completedNs(int sequence) {
        return completedNs.get(sequence);
    }

    Outcome outcome(int sequence) {
        return OUTCOMES[outcomes.get(sequence)];
    }

    boolean isOk(int sequence) {
        return outcomes.get(sequence) == 0;
    }

    /** Returns -1 if no offset was acknowledged. */
    long ackedOffset(int sequence) {
        return ackedOffsets.get(sequence);
    }

    /** Returns the first offset found in a poll or dump; -1 if not found. */
    long seenOffset(int sequence) {
        return seenOffsets.get(sequence);
    }

    void seen(int sequence, long offset) {
        seenOffsets.set(sequence, offset);
    }

    int partition(int sequence) {
        return partitions.get(sequence);
    }

    int digest(int sequence) {
        return digests.get(sequence);
    }

    /** Returns -1 outside transactions. */
    int transaction(int sequence) {
        return transactions.get(sequence);
    }

    long source(int sequence) {
        return sources.get(sequence);
    }

    boolean has(int sequence, int flag) {
        return (flags.get(sequence) & flag) != 0;
    }

    void flag(int sequence, int flag) {
        flags.set(sequence, (byte) (flags.get(sequence) | flag));
    }

    /** Returns one bit per in-sync replica whose final dump contains the value. */
    int replicas(int sequence) {
        return replicas.get(sequence) & 0xff;
    }

    void inReplica(int sequence, int bit) {
        replicas.set(sequence, (byte) (replicas.get(sequence) | bit));
    }

    /** Returns whether Kafka may append the value twice, because the client retries without sequences. */
    boolean mayRepeat() {
        return kind == ProducerKind.PLAIN && retries;
    }
}
