// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/** External actions on the system, and counts of its resources. */
public sealed interface RunEvent extends Event {
    /**
     * The start of a fault, recorded before the injection. Operations until its end are counted from the events in
     * between.
     *
     * @param fault from 0 without gaps
     */
    record FaultBegun(long atNs, int fault, String faultClass, String target) implements RunEvent {}

    /** The fault is healed; its effects may last. */
    record FaultEnded(long atNs, int fault) implements RunEvent {}

    /** No more faults follow: from here on the system must become quiescent and serve everything. */
    record FaultsStopped(long atNs) implements RunEvent {}

    /**
     * A resource that must not leak.
     *
     * @param process owner: {@code proxy}, {@code broker-1} …
     * @param resource {@code credits}, {@code registeredBytes}, {@code memoryRegions}, {@code queuePairs}, {@code
     * fileDescriptors}, {@code directBytes}, {@code threads}, {@code deletedMappings} …
     * @param tolerance permitted difference between the END count and the baseline
     */
    record ResourceCounted(long atNs, String process, String resource, ResourcePhase phase, long count, long tolerance)
            implements RunEvent {}

    /** From here on clients are stopped, one after the other: what they do not get says nothing about the system. */
    record LoadStopping(long atNs) implements RunEvent {}
}
