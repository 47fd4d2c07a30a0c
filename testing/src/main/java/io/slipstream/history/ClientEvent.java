// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/**
 * Actions and observations of a client. An operation that takes time is two events (a send), or one with two times:
 * {@code invokedNs} before the call and {@code atNs} after its return. Errors are simple class names of Kafka's
 * exceptions, empty without an error.
 */
public sealed interface ClientEvent extends Event {
    /**
     * Recorded before the client call.
     *
     * @param sequence per producer, from 0 without gaps
     * @param transaction the producer's transaction, -1 if none
     * @param digest see {@link RecordRun}
     * @param source the copied value, else {@link ValueId#NONE}
     */
    record SendInvoked(long atNs, int producer, int sequence, int partition, int transaction, int digest, long source)
            implements ClientEvent {}

    /**
     * The callback of a send. A send without one has the outcome UNKNOWN.
     *
     * @param offset -1 unless OK with acks 1 or all
     */
    record SendCompleted(long atNs, int producer, int sequence, Outcome outcome, long offset, String error)
            implements ClientEvent {}

    /**
     * After an assign, or in the rebalance listener. Positions of these partitions are unknown until {@link Positioned}
     * or the next poll.
     */
    record Assigned(long atNs, int consumer, int[] partitions) implements ClientEvent {}

    /** Before the partitions are released, or after they were lost. */
    record Revoked(long atNs, int consumer, int[] partitions) implements ClientEvent {}

    /** A seek, or the position that the client reports: the next polled record is the first visible one from here. */
    record Positioned(long atNs, int consumer, int partition, long position) implements ClientEvent {}

    /**
     * The records of one partition in one poll. A poll of several partitions is several events, an empty poll none.
     *
     * @param positionBefore the client's position before the poll, -1 if unknown
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
        /** Returns the same poll with other records. */
        public Polled withRecords(RecordRun others) {
            return new Polled(invokedNs, atNs, consumer, partition, positionBefore, positionAfter, others);
        }
    }

    /** A commit of a group's offsets outside transactions. */
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

    /** A transaction. Numbers count from 0 per producer, without gaps. */
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
     * The requested end of a transaction.
     *
     * @param commit false for an abort
     */
    record TransactionEnded(
            long invokedNs, long atNs, int producer, int transaction, boolean commit, Outcome outcome, String error)
            implements ClientEvent {}

    /**
     * Watermarks reported to a client.
     *
     * @param observer client name; its view must not go back
     * @param leaderEpoch -1 if unknown, as are the offsets
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

    /** A request frame that a raw client wrote. */
    record RequestWritten(long atNs, int connection, int correlationId, int apiKey, int version)
            implements ClientEvent {}

    /**
     * A response frame that a raw client read.
     *
     * @param errorCode the worst error of the response, 0 if none
     */
    record ResponseRead(long atNs, int connection, int correlationId, int errorCode) implements ClientEvent {}

    /** A client error that is not the outcome of an operation above. */
    record ClientFailed(long atNs, String client, String operation, String error) implements ClientEvent {}
}
