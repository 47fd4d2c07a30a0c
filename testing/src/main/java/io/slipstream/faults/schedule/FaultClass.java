// SPDX-License-Identifier: Apache-2.0
package io.slipstream.faults.schedule;

import java.util.Arrays;

/** The classes by which faults are drawn, counted and reported. */
public enum FaultClass {
    PROXY_KILL(5, 1, "kill -9 of a proxy, restart"),
    BROKER_KILL(3, 1, "kill -9 of a broker, restart"),
    PROXY_PAUSE(5, 1, "SIGSTOP of a proxy, SIGCONT"),
    BROKER_PAUSE(4, 1, "SIGSTOP of a broker, SIGCONT"),
    CLIENT_CUT(5, 1, "clients' connections reset"),
    UPSTREAM_CUT(5, 1, "connections from a proxy to brokers reset"),
    LINK_LOSS(6, 1, "control connection cut, queue pairs lost"),
    SEGMENT_ROLL(3, 1, "segments roll by time"),
    RETENTION(2, 1, "retention deletes segments"),
    DELETE_RECORDS(3, 1, "DeleteRecords in a loop"),
    TOPIC_RECREATE(2, 1, "topic deleted and recreated"),
    LEADER_ELECTION(4, 3, "leaders elected in a loop"),
    REASSIGNMENT(3, 3, "replicas reassigned in a loop"),
    ISR_SHRINK(3, 3, "follower stopped and restarted"),
    DISK_FULL(1, 1, "log directory full"),
    MEMLOCK_LIMIT(1, 1, "memlock limit reached"),
    DESCRIPTOR_LIMIT(2, 1, "descriptor limit reached"),
    CLOCK_JUMP(1, 1, "wall clock jumps by an hour"),
    BROKER_RESTART(3, 1, "controlled shutdown of a broker, restart");

    private final int weight;
    private final int brokersNeeded;
    private final String meaning;

    FaultClass(int weight, int brokersNeeded, String meaning) {
        this.weight = weight;
        this.brokersNeeded = brokersNeeded;
        this.meaning = meaning;
    }

    /** Returns the relative frequency of draws. */
    int weight() {
        return weight;
    }

    public boolean fits(Topology topology) {
        return topology.brokers() >= brokersNeeded;
    }

    /**
     * Returns the class of the label.
     *
     * @throws IllegalArgumentException that lists all labels
     */
    public static FaultClass of(String label) {
        return Arrays.stream(values())
                .filter(faultClass -> faultClass.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown fault class " + label + "; known: "
                        + Arrays.stream(values()).map(FaultClass::label).toList()));
    }

    /** Returns a short description for tables. */
    public String meaning() {
        return meaning;
    }

    /** Returns the name for tables and JSON: lower case with hyphens. */
    public String label() {
        return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }
}
