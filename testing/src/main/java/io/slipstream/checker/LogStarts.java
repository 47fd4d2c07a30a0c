// SPDX-License-Identifier: Apache-2.0
package io.slipstream.checker;

import java.util.ArrayList;
import java.util.List;

/** The deletions from the start of one partition's log: announced ones, and log starts that were seen. */
final class LogStarts {
    static final long UNKNOWN = -1;

    private final List<Deletable> deletable = new ArrayList<>();
    /** Answers of a known leader epoch, by time. */
    private final List<Seen> seen = new ArrayList<>();

    private long highest;
    private long highestOfReplicas;
    private boolean dumped;

    private record Deletable(long atNs, long below) {}

    private record Seen(long invokedNs, long atNs, int leaderEpoch, long start) {}

    void deletable(long atNs, long below) {
        deletable.add(new Deletable(atNs, below));
    }

    /** @param leaderEpoch -1 if unknown */
    void seen(long invokedNs, long atNs, int leaderEpoch, long start) {
        highest = Math.max(highest, start);
        if (leaderEpoch >= 0 && start >= 0) {
            seen.add(new Seen(invokedNs, atNs, leaderEpoch, start));
        }
    }

    /** Records the leader's log start at the end of the run. */
    void dumped(long start) {
        highest = Math.max(highest, start);
        dumped = true;
    }

    /** Records the first offset of a replica's final log. A follower's own retention may have gone further. */
    void replicaBegins(long offset) {
        highestOfReplicas = Math.max(highestOfReplicas, offset);
    }

    /** Returns whether the offset may have been deleted by this time, here or on a follower if there is one. */
    boolean mayBeGone(long offset, long atNs, boolean replicated) {
        if (dumped && offset >= (replicated ? Math.max(highest, highestOfReplicas) : highest)) {
            return false;
        }
        for (Deletable announced : deletable) {
            if (offset < announced.below && announced.atNs <= atNs) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the log start that was known at {@code fromNs} and held until {@code toNs}. A killed leader may forget
     * where its log starts, so the start before and after must be of the same leader epoch.
     *
     * @param stoppedNs from here on no leader dies
     */
    long heldDuring(long fromNs, long toNs, long stoppedNs) {
        Seen before = null;
        for (Seen now : seen) {
            if (now.atNs < fromNs) {
                before = now;
                continue;
            }
            if (before == null || now.leaderEpoch != before.leaderEpoch || now.start < before.start) {
                return UNKNOWN;
            }
            if (now.invokedNs > toNs) {
                return before.start;
            }
        }
        return before != null && before.invokedNs > stoppedNs ? before.start : UNKNOWN;
    }

    /** Returns whether any record was deleted. */
    boolean moved() {
        return highest > 0;
    }
}
