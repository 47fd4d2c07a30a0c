// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.schedule;

/** One fault, as data: what is done to which process, connection or log, and for how long. Indices count from 0 within their role. */
public sealed interface Fault {
    FaultClass faultClass();

    /** From the injection to its healing, in milliseconds; 0 for what is over at once. */
    long holdMs();

    /** What happens to a process. */
    sealed interface ProcessFault extends Fault {
        Role role();

        int index();
    }

    /** SIGKILL; started again after {@code holdMs}. */
    record Kill(Role role, int index, long holdMs) implements ProcessFault {
        @Override
        public FaultClass faultClass() {
            return role == Role.PROXY ? FaultClass.PROXY_KILL : FaultClass.BROKER_KILL;
        }
    }

    /** SIGSTOP; SIGCONT after {@code holdMs}. */
    record Pause(Role role, int index, long holdMs) implements ProcessFault {
        @Override
        public FaultClass faultClass() {
            return role == Role.PROXY ? FaultClass.PROXY_PAUSE : FaultClass.BROKER_PAUSE;
        }
    }

    /** SIGTERM to a broker, which so leaves the in-sync replicas; started again after {@code holdMs}. */
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

    /** SIGTERM to a broker, which is started again as soon as it has ended and {@code holdMs} are over: same addresses, same data, nothing else. */
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

    /** A limit of a running process drops to what it uses now, and is restored after {@code holdMs}. */
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

    /** A broker's log directory has no room for another byte; freed after {@code holdMs}. */
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

    /** The wall clock of a broker jumps by so many seconds; back after {@code holdMs}. */
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

    /** TCP connections are reset, {@code times} times within {@code holdMs}. */
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

    /** A proxy's control connections end, and with them its queue pairs, {@code times} times within {@code holdMs}. */
    record LinkLoss(int proxy, int times, long holdMs) implements Fault {
        @Override
        public FaultClass faultClass() {
            return FaultClass.LINK_LOSS;
        }
    }

    /** Something is done to logs or replicas in a loop of {@code rounds} over {@code holdMs}. */
    record Administration(FaultClass faultClass, int rounds, long holdMs) implements Fault {}
}
