// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The facts of one partition. */
final class PartitionFacts {
    private static final int MOST_REPLICAS = 8;

    final String name;
    /** The version order: the value at each offset, from acknowledgements with acks=all, polls and final dumps. */
    final SparseOffsets versions = new SparseOffsets();
    /** Final dumps of in-sync replicas; the first one is the reference. */
    final List<ReplicaLog> inSync = new ArrayList<>();

    /** Whether a final read_uncommitted reader was assigned to the partition. */
    boolean finallyRead;
    /** Whether a final read_committed reader was assigned to the partition. */
    boolean finallyReadCommitted;

    long deletedNs = SendColumns.NEVER;
    private long lastNewEpochNs = Long.MIN_VALUE;
    private int highestEpoch = -1;
    private final Set<Integer> nodes = new HashSet<>();
    final LogStarts logStarts = new LogStarts();

    PartitionFacts(String name) {
        this.name = name;
    }

    boolean takesReplica() {
        return inSync.size() < MOST_REPLICAS;
    }

    /** Returns null without a final dump. */
    ReplicaLog reference() {
        return inSync.isEmpty() ? null : inSync.get(0);
    }

    /** Returns the bits that {@link SendColumns#replicas} must have. */
    int allReplicas() {
        return (1 << inSync.size()) - 1;
    }

    /** Records that a log of the partition was found on the node. */
    void keptBy(int node) {
        nodes.add(node);
    }

    /** Records that a client observed a leader epoch. */
    void observedEpoch(int leaderEpoch, long atNs) {
        if (leaderEpoch > highestEpoch) {
            highestEpoch = leaderEpoch;
            lastNewEpochNs = atNs;
        }
    }

    /**
     * Returns whether a later leader may lack records of the leader at the time of the send. A new epoch alone is no
     * evidence: a single replica starts a new epoch at every start and keeps its log.
     */
    boolean mayHaveChangedLeader(long invokedNs) {
        return isReplicated() && lastNewEpochNs >= invokedNs;
    }

    /** Returns whether a client observed a later leader, at any time. */
    boolean isDeposed(int leaderEpoch) {
        return leaderEpoch >= 0 && leaderEpoch < highestEpoch;
    }

    boolean isReplicated() {
        return nodes.size() > 1;
    }

    /** Returns whether the offset may have been deleted by this time. */
    boolean mayBeGone(long offset, long atNs) {
        return deletedNs <= atNs || logStarts.mayBeGone(offset, atNs, isReplicated());
    }

    /** Returns whether the topic was deleted. The partition as a whole then has no guarantees. */
    boolean isDeleted() {
        return deletedNs != SendColumns.NEVER;
    }
}
