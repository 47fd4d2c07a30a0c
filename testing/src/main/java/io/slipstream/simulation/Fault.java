// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

/** A fault at an instant of virtual time. */
public sealed interface Fault {
    long atNs();

    /** A change of the broker's logs; it must not break a link. */
    sealed interface OfTheLog extends Fault {}

    /**
     * The queue pair of an operation breaks. The operation is not executed, partly executed, or executed without
     * acknowledgement.
     */
    record BreakConnection(long atNs, int afterOperations) implements Fault {}

    /** SIGSTOP, then SIGCONT. */
    record StopProxy(long atNs, long forNs) implements Fault {}

    record StopBroker(long atNs, int node, long forNs) implements Fault {}

    /** SIGKILL; another process starts later. */
    record KillProxy(long atNs, long downNs) implements Fault {}

    record KillBroker(long atNs, int node, long downNs) implements Fault {}

    /** The connection of the control channel ends. */
    record CutControl(long atNs) implements Fault {}

    /** The moments of a reader at which a change of the log meets it. */
    enum Moment {
        /** A slot was read; what follows is decided from the copy. */
        SLOT_READ,
        /** A device is about to read records. */
        RECORDS_DUE
    }

    /**
     * A change that waits for a reader: it happens at that moment of the {@code skip}th reader from now on, in the
     * partition that it reads, or after {@link #MOST_WAIT_NS} if there is none.
     */
    record OnRead(long atNs, Moment moment, int skip, OfTheLog change) implements OfTheLog {
        static final long MOST_WAIT_NS = 1_000_000;
    }

    /** Another broker temporarily leads the partition; with {@code appends} it also commits a batch. */
    record MoveLeader(long atNs, int partition, boolean appends) implements OfTheLog {}

    /** The broker is elected again, in a new epoch. */
    record Elect(long atNs, int partition) implements OfTheLog {}

    record DeleteRecords(long atNs, int partition, int percent) implements OfTheLog {}

    /** A transaction of some batches, which holds the last stable offset back. */
    record Transaction(long atNs, int partition, long forNs, boolean aborts) implements OfTheLog {}

    /** A principal temporarily loses READ. */
    record Unauthorize(long atNs, int principal, long forNs) implements OfTheLog {}

    /** A client's connection ends. */
    record CloseClient(long atNs, int client) implements Fault {}
}
