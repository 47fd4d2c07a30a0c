// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/** Facts about brokers: leadership, watermarks, log dumps. */
public sealed interface BrokerEvent extends Event {
    /**
     * The start of a leader's term.
     *
     * @param unclean whether the new leader was out of sync, so that committed records may be lost
     */
    record LeaderElected(long atNs, int partition, int node, int leaderEpoch, boolean unclean) implements BrokerEvent {}

    /**
     * A leader moved its watermarks. If a history has such events for a partition, it has all of them; a record read
     * above the last one is an anomaly. Recorded before any client can read up to it.
     */
    record WatermarksPublished(
            long atNs, int node, int partition, int leaderEpoch, long highWatermark, long lastStableOffset)
            implements BrokerEvent {}

    /**
     * Records below {@code logStart} may be deleted from {@code invokedNs} on and are deleted from {@code atNs} on, by
     * DeleteRecords or retention.
     */
    record LogStartMoved(long invokedNs, long atNs, int partition, long logStart) implements BrokerEvent {}

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

    /** A broker finally refused a value from a client. The value must not be in any log. */
    record BatchRefused(long atNs, int partition, int producer, int sequence, String reason) implements BrokerEvent {}

    /** A group's committed offset at the end of the run. */
    record GroupOffsetFound(String group, int partition, long offset) implements BrokerEvent {}

    /** A transaction's state at the end of the run, with Kafka's name ({@code CompleteCommit}, {@code Ongoing} …). */
    record TransactionStateFound(String transactionalId, String state, long producerId, int producerEpoch)
            implements BrokerEvent {}
}
