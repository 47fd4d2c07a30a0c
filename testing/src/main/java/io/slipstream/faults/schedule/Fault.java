// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.schedule;

/**
 * One fault as data: the operation, its target process, connection or log, and its duration. Indices count from 0
 * within a role.
 */
public sealed interface Fault {
    FaultClass faultClass();

    /** Returns milliseconds from injection to healing; 0 for an instantaneous fault. */
    long holdMs();

    /** A fault of a process. */
    sealed interface ProcessFault extends Fault {
        Role role();

        int index();
    }

    /** SIGKILL, and a start after {@code holdMs}. */
    record Kill(Role role, int index, long holdMs) implements ProcessFault {
        @Override
        public FaultClass faultClass() {
            return role == Role.PROXY ? FaultClass.PROXY_KILL : FaultClass.BROKER_KILL;
        }
    }

    /** SIGSTOP, and SIGCONT after {@code holdMs}. */
    record Pause(Role role, int index, long holdMs) implements ProcessFault {
        @Override
        public FaultClass faultClass() {
            return role == Role.PROXY ? FaultClass.PROXY_PAUSE : FaultClass.BROKER_PAUSE;
        }
    }

    /** SIGTERM to a broker, which leaves the in-sync replicas, and a start after {@code holdMs}. */
    record FollowerStop(int index, long holdMs) implements ProcessFault {
        @Override
        public Role role() {
            return Role.BROKER;
        }

        @Override
        public FaultClass faultClass() {
            return FaultClass.ISR_SHRINK;
        }
    }

    /**
     * SIGTERM to a broker, and a start once it has ended and {@code holdMs} have passed, with the same addresses and
     * data.
     */
    record Restart(int index, long holdMs) implements ProcessFault {
        @Override
        public Role role() {
            return Role.BROKER;
        }

        @Override
        public FaultClass faultClass() {
            return FaultClass.BROKER_RESTART;
        }
    }

    /** Lowers a limit of a running process to its current use; restores it after {@code holdMs}. */
    record Limit(Resource resource, Role role, int index, long holdMs) implements ProcessFault {
        @Override
        public FaultClass faultClass() {
            return resource == Resource.LOCKED_MEMORY ? FaultClass.MEMLOCK_LIMIT : FaultClass.DESCRIPTOR_LIMIT;
        }
    }

    enum Resource {
        LOCKED_MEMORY,
        DESCRIPTORS
    }

    /** Fills a broker's log directory completely; frees it after {@code holdMs}. */
    record DiskFull(int index, long holdMs) implements ProcessFault {
        @Override
        public Role role() {
            return Role.BROKER;
        }

        @Override
        public FaultClass faultClass() {
            return FaultClass.DISK_FULL;
        }
    }

    /** Shifts the wall clock of a broker by {@code jumpS} seconds; restores it after {@code holdMs}. */
    record ClockJump(int index, long jumpS, long holdMs) implements ProcessFault {
        @Override
        public Role role() {
            return Role.BROKER;
        }

        @Override
        public FaultClass faultClass() {
            return FaultClass.CLOCK_JUMP;
        }
    }

    /** Resets TCP connections {@code times} times within {@code holdMs}. */
    record ConnectionCut(Leg leg, int proxy, int times, long holdMs) implements Fault {
        @Override
        public FaultClass faultClass() {
            return leg == Leg.CLIENT_TO_PROXY ? FaultClass.CLIENT_CUT : FaultClass.UPSTREAM_CUT;
        }
    }

    enum Leg {
        CLIENT_TO_PROXY,
        PROXY_TO_BROKER
    }

    /** Ends a proxy's control connections, and thereby its queue pairs, {@code times} times within {@code holdMs}. */
    record LinkLoss(int proxy, int times, long holdMs) implements Fault {
        @Override
        public FaultClass faultClass() {
            return FaultClass.LINK_LOSS;
        }
    }

    /** Performs an operation on logs or replicas in {@code rounds} rounds over {@code holdMs}. */
    record Administration(FaultClass faultClass, int rounds, long holdMs) implements Fault {}
}
