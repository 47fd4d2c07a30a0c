// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/** Facts about brokers: deletions, log dumps, groups, transactions. */
public sealed interface BrokerEvent extends Event {
    /**
     * From now on records below this offset may be deleted, and no others.
     *
     * @param below {@code Long.MAX_VALUE} if the broker decides by time; final dumps and observed log starts bound it
     */
    record RecordsDeletable(long atNs, int partition, long below) implements BrokerEvent {}

    /** The topic is deleted; its former contents have no guarantees. */
    record PartitionDeleted(long invokedNs, int partition) implements BrokerEvent {}

    /**
     * A replica's log. Its batches follow in offset order.
     *
     * @param dump number, from 0 without gaps
     * @param inSync whether the replica was in sync
     * @param highWatermark the leader's high watermark
     * @param logEnd offset of the next record
     * @param asOfNs time of the image; it must contain only what was acknowledged before
     */
    record LogDumped(
            int dump,
            DumpKind kind,
            int partition,
            int node,
            boolean inSync,
            long logStart,
            long highWatermark,
            long logEnd,
            long asOfNs)
            implements BrokerEvent {}

    /**
     * One batch of a dump.
     *
     * @param producerId -1 if none, as are epoch and sequence
     * @param crcValid whether CRC and size are valid
     * @param hash hash of all bytes of the batch in the file
     */
    record BatchDumped(
            int dump,
            long baseOffset,
            long lastOffset,
            int leaderEpoch,
            long producerId,
            int producerEpoch,
            int baseSequence,
            BatchType type,
            boolean crcValid,
            long hash,
            RecordRun records)
            implements BrokerEvent {
        /** Returns the same batch with other records. */
        public BatchDumped withRecords(RecordRun others) {
            return new BatchDumped(
                    dump,
                    baseOffset,
                    lastOffset,
                    leaderEpoch,
                    producerId,
                    producerEpoch,
                    baseSequence,
                    type,
                    crcValid,
                    hash,
                    others);
        }
    }

    /** A group's committed offset at the end of the run. */
    record GroupOffsetFound(String group, int partition, long offset) implements BrokerEvent {}

    /** A transaction's state at the end of the run, with Kafka's name ({@code CompleteCommit}, {@code Ongoing} …). */
    record TransactionStateFound(String transactionalId, String state, long producerId, int producerEpoch)
            implements BrokerEvent {}
}
