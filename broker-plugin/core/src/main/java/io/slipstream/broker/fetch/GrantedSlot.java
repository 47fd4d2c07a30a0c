// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.protocol.slot.SlotLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * A slot while it serves one partition to one link. Its publications belong to the holder of the log's lock;
 * {@link #exports} and {@link #lastLocatedNs} to the worker thread.
 */
final class GrantedSlot {
    private final SlotTablePublisher table;
    final int index;
    final int generation;
    /** Sessions that were granted the partition; the worker adds, the control thread removes. */
    final Set<Integer> sessions = ConcurrentHashMap.newKeySet();
    /** What this link was exported of the partition's segments. */
    final List<SegmentExport> exports = new ArrayList<>();

    /** Set once, before the slot is reachable by others. */
    LogFeed feed;

    long lastLocatedNs;
    private volatile boolean revoked;

    GrantedSlot(SlotTablePublisher table, int index) {
        this.table = table;
        this.index = index;
        this.generation = table.generation(index);
    }

    /** Of all that was registered for it; worker thread. */
    long chargedBytes() {
        long sum = 0;
        for (SegmentExport export : exports) {
            sum += export.chargedBytes;
        }
        return sum;
    }

    /** Whether some of that is charged to such a principal; worker thread. */
    boolean isChargedTo(Predicate<String> principal) {
        for (SegmentExport export : exports) {
            if (principal.test(export.chargedTo)) {
                return true;
            }
        }
        return false;
    }

    boolean isRevoked() {
        return revoked;
    }

    void publish(int leaderEpoch, LogState state, boolean abortedTransactions, int abortedCount) {
        if (!revoked) {
            int flags = abortedTransactions ? SlotLayout.FLAG_ABORTED_TRANSACTIONS : 0;
            table.publish(index, generation, flags, leaderEpoch, state, abortedCount);
        }
    }

    void publishRevoked() {
        if (!revoked) {
            revoked = true;
            table.revoke(index);
        }
    }
}
