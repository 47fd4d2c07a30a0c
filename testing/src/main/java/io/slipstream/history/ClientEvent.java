// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/**
 * What a client did and saw. An operation that takes time is either two events (a send) or one with both times: {@code invokedNs}, taken before the call, and {@code atNs}, taken after it
 * returned. Errors are simple class names of Kafka's exceptions, empty if none.
 */
public sealed interface ClientEvent extends Event {
    /**
     * Recorded before the client is called.
     *
     * @param sequence from 0 for each producer, without gap
     * @param transaction the producer's transaction, -1 if none
     * @param digest see {@link RecordRun}
     * @param source the value of which this is a copy, else {@link ValueId#NONE}
     */
    record SendInvoked(long atNs, int producer, int sequence, int partition, int transaction, int digest, long source)
            implements ClientEvent {}

    /**
     * The callback of a send; a send without one has the outcome UNKNOWN.
     *
     * @param offset -1 unless OK with acks 1 or all
     */
    record SendCompleted(long atNs, int producer, int sequence, Outcome outcome, long offset, String error)
            implements ClientEvent {}

    /** After an assign, or in the listener of a rebalance. Positions of these partitions are unknown until {@link Positioned} or the next poll. */
    record Assigned(long atNs, int consumer, int[] partitions) implements ClientEvent {}

    /** Before the partitions are given away, or after they were lost. */
    record Revoked(long atNs, int consumer, int[] partitions) implements ClientEvent {}

    /** A seek, or the position from which the client says it will read: the next record polled is the first visible one from here on. */
    record Positioned(long atNs, int consumer, int partition, long position) implements ClientEvent {}

    /**
     * What one poll returned of one partition. A poll that returned several is several events, one that returned nothing is none.
     *
     * @param positionBefore the client's position before the poll, -1 if not known
     * @param positionAfter the client's position after it
     */
    record Polled(
            long invokedNs,
            long atNs,
            int consumer,
            int partition,
            long positionBefore,
            long positionAfter,
            RecordRun records)
            implements ClientEvent {
        /** The same poll with other records. */
        public Polled withRecords(RecordRun others) {
            return new Polled(invokedNs, atNs, consumer, partition, positionBefore, positionAfter, others);
        }
    }

    /** A commit of a group's offsets, outside of transactions. */
    record OffsetsCommitted(
            long invokedNs,
            long atNs,
            int consumer,
            String group,
            int[] partitions,
            long[] offsets,
            Outcome outcome,
            String error)
            implements ClientEvent {}

    /** The client's initTransactions. Once OK, earlier incarnations of its transactional id are fenced. */
    record ProducerInitialized(long invokedNs, long atNs, int producer, Outcome outcome, String error)
            implements ClientEvent {}

    /** A transaction. Its number counts from 0 for each producer, without gap. */
    record TransactionBegun(long atNs, int producer, int transaction) implements ClientEvent {}

    record TransactionOffsetsSent(
            long atNs,
            int producer,
            int transaction,
            String group,
            int[] partitions,
            long[] offsets,
            Outcome outcome,
            String error)
            implements ClientEvent {}

    /**
     * A transaction's end was asked for.
     *
     * @param commit false for an abort
     */
    record TransactionEnded(
            long invokedNs, long atNs, int producer, int transaction, boolean commit, Outcome outcome, String error)
            implements ClientEvent {}

    /**
     * Watermarks as a client was told.
     *
     * @param observer whose view must not go back: a name of the client
     * @param leaderEpoch -1 if not told, and so are the offsets
     */
    record WatermarksObserved(
            long invokedNs,
            long atNs,
            String observer,
            int partition,
            int leaderEpoch,
            long highWatermark,
            long lastStableOffset,
            long logStart)
            implements ClientEvent {}

    /** A request frame that a client of raw frames wrote to its connection. */
    record RequestWritten(long atNs, int connection, int correlationId, int apiKey, int version)
            implements ClientEvent {}

    /**
     * A response frame that it read.
     *
     * @param errorCode the worst of the response, 0 if none
     */
    record ResponseRead(long atNs, int connection, int correlationId, int errorCode) implements ClientEvent {}

    /** Any error of a client that is not an outcome of an operation above. */
    record ClientFailed(long atNs, String client, String operation, String error) implements ClientEvent {}
}
