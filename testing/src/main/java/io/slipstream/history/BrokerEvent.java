// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/** What is known of brokers: leadership, watermarks, dumps of logs. */
public sealed interface BrokerEvent extends Event {
    /**
     * A leader's term began.
     *
     * @param unclean whether the new leader was out of sync, so that committed records may be gone
     */
    record LeaderElected(long atNs, int partition, int node, int leaderEpoch, boolean unclean) implements BrokerEvent {}

    /**
     * A leader moved its watermarks. If a history has such events of a partition, it has all of them: a record that was read above the last one is an anomaly.
     * Recorded before anyone can read up to it.
     */
    record WatermarksPublished(
            long atNs, int node, int partition, int leaderEpoch, long highWatermark, long lastStableOffset)
            implements BrokerEvent {}

    /** Records below {@code logStart} may be gone from {@code invokedNs} on, and are gone from {@code atNs} on: DeleteRecords, retention. */
    record LogStartMoved(long invokedNs, long atNs, int partition, long logStart) implements BrokerEvent {}

    /** The topic is deleted: nothing is claimed of what was in it. */
    record PartitionDeleted(long invokedNs, int partition) implements BrokerEvent {}

    /**
     * A replica's log. Its batches follow in the order of offsets.
     *
     * @param dump from 0, without gap
     * @param inSync whether the replica was in the set of in-sync replicas
     * @param highWatermark of the leader
     * @param logEnd offset of the next record
     * @param asOfNs when the image was taken; only what was acknowledged before must be in it
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
     * @param producerId -1 if none, and so are epoch and sequence
     * @param crcValid whether CRC and size are as they should be
     * @param hash over all bytes of the batch as they lie in the file
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
        /** The same batch with other records. */
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

    /** A broker refused what a client had landed or sent, for good: the value must not be in any log. */
    record BatchRefused(long atNs, int partition, int producer, int sequence, String reason) implements BrokerEvent {}

    /** A group's committed offset at the end of the run. */
    record GroupOffsetFound(String group, int partition, long offset) implements BrokerEvent {}

    /** A transaction's state at the end of the run, by Kafka's name of it ({@code CompleteCommit}, {@code Ongoing} …). */
    record TransactionStateFound(String transactionalId, String state, long producerId, int producerEpoch)
            implements BrokerEvent {}
}
