// SPDX-License-Identifier: Apache-2.0
package io.slipstream.simulation.broker;

import io.slipstream.protocol.control.AbortedTransaction;
import java.util.ArrayList;
import java.util.List;

/** The transactions of one log: those that hold the last stable offset back, and the index of aborted ones. */
final class Transactions {
    private static final long OPEN = -1;

    private static final class Undecided {
        final int producerId;
        final long firstOffset;
        /** Offset of the marker, which is not committed yet. */
        long markerOffset = OPEN;

        Undecided(int producerId, long firstOffset) {
            this.producerId = producerId;
            this.firstOffset = firstOffset;
        }
    }

    private final List<Undecided> undecided = new ArrayList<>();
    private final List<AbortedTransaction> aborted = new ArrayList<>();

    void begin(int producerId, long firstOffset) {
        undecided.add(new Undecided(producerId, firstOffset));
    }

    /** Returns whether the transaction has no marker in the log. */
    boolean isOpen(int producerId) {
        return undecided.stream().anyMatch(each -> each.producerId == producerId && each.markerOffset == OPEN);
    }

    /** Returns whether the transaction holds the last stable offset back. */
    boolean isUndecided(int producerId) {
        return undecided.stream().anyMatch(each -> each.producerId == producerId);
    }

    boolean isEmpty() {
        return undecided.isEmpty();
    }

    /** The transaction's marker was appended. */
    void end(int producerId, boolean aborts, long markerOffset) {
        for (Undecided each : undecided) {
            if (each.producerId == producerId) {
                each.markerOffset = markerOffset;
                if (aborts) {
                    aborted.add(new AbortedTransaction(producerId, each.firstOffset, markerOffset, -1));
                }
            }
        }
    }

    void committed(long highWatermark) {
        undecided.removeIf(each -> each.markerOffset != OPEN && each.markerOffset < highWatermark);
    }

    void truncated(long endOffset) {
        undecided.removeIf(each -> each.firstOffset >= endOffset);
        undecided.stream().filter(each -> each.markerOffset >= endOffset).forEach(each -> each.markerOffset = OPEN);
        aborted.removeIf(each -> each.lastOffset() >= endOffset);
    }

    /** Returns the first offset that is not stable. */
    long firstUnstableOffset() {
        return undecided.stream().mapToLong(each -> each.firstOffset).min().orElse(Long.MAX_VALUE);
    }

    /** Returns the aborted transactions, in the order of their markers. */
    List<AbortedTransaction> aborted() {
        return aborted;
    }
}
