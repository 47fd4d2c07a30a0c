// SPDX-License-Identifier: Apache-2.0
package io.slipstream.history;

/** What was done to the system from outside, and what was counted of it. */
public sealed interface RunEvent extends Event {
    /**
     * A fault strikes; recorded before it does. What succeeds until its end is counted from the events between.
     *
     * @param fault from 0, without gap
     */
    record FaultBegun(long atNs, int fault, String faultClass, String target) implements RunEvent {}

    /** The fault is healed; its effects may last. */
    record FaultEnded(long atNs, int fault) implements RunEvent {}

    /** No fault will come any more: from here on the system must come to rest and serve everything. */
    record FaultsStopped(long atNs) implements RunEvent {}

    /**
     * A resource that must not leak.
     *
     * @param process whose it is: {@code proxy}, {@code broker-1} …
     * @param resource {@code credits}, {@code registeredBytes}, {@code memoryRegions}, {@code queuePairs}, {@code fileDescriptors}, {@code directBytes}, {@code threads}, {@code deletedMappings} …
     * @param tolerance by how much the END count may differ from the baseline
     */
    record ResourceCounted(long atNs, String process, String resource, ResourcePhase phase, long count, long tolerance)
            implements RunEvent {}
}
