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

    record StopBroker(long atNs, long forNs) implements Fault {}

    /** SIGKILL; another process starts later. */
    record KillProxy(long atNs, long downNs) implements Fault {}

    record KillBroker(long atNs, long downNs) implements Fault {}

    /** The connection of the control channel ends. */
    record CutControl(long atNs) implements Fault {}

    /** Another broker temporarily leads the partition; with {@code appends} it also commits a batch. */
    record MoveLeader(long atNs, int partition, boolean appends) implements OfTheLog {}

    record DeleteRecords(long atNs, int partition, int percent) implements OfTheLog {}

    /** A transaction holds the last stable offset back. */
    record Transaction(long atNs, int partition, long forNs, boolean aborts) implements OfTheLog {}

    /** Consumers temporarily lose READ. */
    record Unauthorize(long atNs, long forNs) implements OfTheLog {}

    /** A client's connection ends. */
    record CloseClient(long atNs, int client) implements Fault {}
}
