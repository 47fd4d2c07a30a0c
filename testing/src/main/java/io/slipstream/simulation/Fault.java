// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation;

/** Something that goes wrong in a run, at an instant of virtual time. */
public sealed interface Fault {
    long atNs();

    /** Something that happens to what the broker keeps: no link may break of it. */
    sealed interface OfTheLog extends Fault {}

    /** The queue pair of an operation breaks: not carried out, in part, or wholly but unacknowledged. */
    record BreakConnection(long atNs, int afterOperations) implements Fault {}

    /** SIGSTOP, then SIGCONT. */
    record StopProxy(long atNs, long forNs) implements Fault {}

    record StopBroker(long atNs, long forNs) implements Fault {}

    /** SIGKILL; another process starts a while later. */
    record KillProxy(long atNs, long downNs) implements Fault {}

    record KillBroker(long atNs, long downNs) implements Fault {}

    /** The connection of the control channel ends. */
    record CutControl(long atNs) implements Fault {}

    /** Another broker leads the partition for a while; {@code appends}: and commits a batch. */
    record MoveLeader(long atNs, int partition, boolean appends) implements OfTheLog {}

    record DeleteRecords(long atNs, int partition, int percent) implements OfTheLog {}

    /** A transaction holds the last stable offset back. */
    record Transaction(long atNs, int partition, long forNs, boolean aborts) implements OfTheLog {}

    /** Consumers lose READ, and get it back. */
    record Unauthorize(long atNs, long forNs) implements OfTheLog {}

    /** A client's connection ends. */
    record CloseClient(long atNs, int client) implements Fault {}
}
