// SPDX-License-Identifier: Apache-2.0
package io.slipstream.broker.fetch;

import io.slipstream.protocol.control.ControlError;
import io.slipstream.protocol.control.ControlResponse;
import io.slipstream.protocol.control.RemoteMemory;
import io.slipstream.protocol.slot.SlotLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A slot that serves one partition to one link. The holder of the log's lock publishes to it. {@link #exports}
 * belongs to the worker thread.
 */
final class GrantedSlot {
    private final SlotTablePublisher table;
    final int index;
    final int generation;
    /** Ids of the sessions that were granted the partition. The worker adds, the control thread removes. */
    final Set<Integer> sessions = ConcurrentHashMap.newKeySet();
    /** Segments of the partition that this link can read. */
    final List<SegmentExport> exports = new ArrayList<>();

    /** Set once, before other threads can reach the slot. */
    LogFeed feed;

    volatile boolean revoked;

    GrantedSlot(SlotTablePublisher table, int index) {
        this.table = table;
        this.index = index;
        this.generation = table.generation(index);
    }

    /** Returns the answer to a Locate. The window is {@link RemoteMemory#NONE} if the segment has no byte there yet. */
    ControlResponse.Locate answer(Located located, RemoteMemory window) {
        return new ControlResponse.Locate(
                ControlError.NONE,
                null,
                located.log().topicId(),
                located.log().topic(),
                index,
                generation,
                located.segment().baseOffset(),
                located.position(),
                window,
                located.sealedBytes());
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
