// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What the history says of one partition. */
final class PartitionFacts {
    private static final int MOST_REPLICAS = 8;

    final String name;
    /** The version order: which value is at which offset, by acknowledgements with acks=all, polls and final dumps. */
    final SparseOffsets versions = new SparseOffsets();
    /** Final dumps of in-sync replicas; the first is the reference. */
    final List<ReplicaLog> inSync = new ArrayList<>();

    /** Whether a final reader with read_uncommitted was assigned to it. */
    boolean finallyRead;
    /** The same with read_committed. */
    boolean finallyReadCommitted;

    long deletedNs = SendColumns.NEVER;
    boolean unclean;
    boolean watermarksTraced;
    private long lastElectionNs = Long.MIN_VALUE;
    private long lastNewEpochNs = Long.MIN_VALUE;
    private int highestEpoch = -1;
    private final Set<Integer> nodes = new HashSet<>();
    private final List<LogStart> logStarts = new ArrayList<>();

    private record LogStart(long invokedNs, long atNs, long offset) {}

    PartitionFacts(String name) {
        this.name = name;
    }

    boolean takesReplica() {
        return inSync.size() < MOST_REPLICAS;
    }

    /** Null if there is no final dump. */
    ReplicaLog reference() {
        return inSync.isEmpty() ? null : inSync.get(0);
    }

    /** The bits that {@link SendColumns#replicas} must have. */
    int allReplicas() {
        return (1 << inSync.size()) - 1;
    }

    /** A log of it was found there at some time. */
    void keptBy(int node) {
        nodes.add(node);
    }

    void elected(long atNs, boolean isUnclean) {
        unclean |= isUnclean;
        lastElectionNs = Math.max(lastElectionNs, atNs);
    }

    /** Somebody was told of a leader epoch. */
    void observedEpoch(int leaderEpoch, long atNs) {
        if (leaderEpoch > highestEpoch) {
            highestEpoch = leaderEpoch;
            lastNewEpochNs = atNs;
        }
    }

    /**
     * Whether another leader may have followed the one that took what was sent then, without having all that it had. A new epoch alone does not say so: the only replica begins one
     * whenever it starts, and keeps its log.
     */
    boolean mayHaveChangedLeader(long invokedNs) {
        return lastElectionNs >= invokedNs || isReplicated() && lastNewEpochNs >= invokedNs;
    }

    boolean isReplicated() {
        return nodes.size() > 1;
    }

    void moveLogStart(long invokedNs, long atNs, long offset) {
        logStarts.add(new LogStart(invokedNs, atNs, offset));
    }

    /** Whether the offset may have been deleted by the time. */
    boolean mayBeGone(long offset, long atNs) {
        if (deletedNs <= atNs) {
            return true;
        }
        for (LogStart start : logStarts) {
            if (offset < start.offset && start.invokedNs <= atNs) {
                return true;
            }
        }
        return false;
    }

    /** Whether the offset was deleted before the time. */
    boolean isGone(long offset, long atNs) {
        for (LogStart start : logStarts) {
            if (offset < start.offset && start.atNs < atNs) {
                return true;
            }
        }
        return false;
    }

    /** Whether nothing can be claimed of the partition as a whole. */
    boolean isLawless() {
        return unclean || deletedNs != SendColumns.NEVER;
    }
}
